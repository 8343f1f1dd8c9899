import { expect, test } from "vitest";
import { scripted } from "../../testing/builders.ts";
import { withNode } from "../../testing/test-node.ts";

const second = 1000;

test("a pod beyond its maximum lifetime is ended and reports it", () =>
  withNode(async (node) => {
    await node.createPod("p", { containers: [scripted("c", "run")], activeDeadlineSeconds: 5 });
    await node.clock.advance(10 * second);
    expect((await node.pod("p")).status).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
    expect(await node.running()).toEqual([]);
    const told = (await node.events()).filter((event) => event.startsWith("DeadlineExceeded"));
    expect(told).toEqual(["DeadlineExceeded: Pod was active on the node longer than the specified deadline"]);
  }));
