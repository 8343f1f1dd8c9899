import { expect, test } from "vitest";
import { doing } from "../../../testing/builders.ts";
import { withNode } from "../../../testing/test-node.ts";

const second = 1000;

test("an unsupported field is rejected visibly", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("run", { volumes: [{ name: "v", nfs: { server: "s", path: "/p" } }] }));
    await node.clock.advance(3 * second);
    const message = 'Volume "v": type nfs is not supported by this kubelet';
    expect((await node.pod("p")).status?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: "CreateContainerConfigError",
      message,
    });
    expect(await node.events()).toContainEqual(expect.stringContaining(`Failed: Error: ${message}`));
  }));
