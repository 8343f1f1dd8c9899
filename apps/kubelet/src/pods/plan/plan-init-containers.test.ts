import { expect, test } from "vitest";
import { doing } from "../../testing/builders.ts";
import { withNode } from "../../testing/test-node.ts";

const second = 1000;

test("init containers run one after the other, then the containers", () =>
  withNode(async (node) => {
    const init = ["one", "two"].map((name) => ({ name, image: "script.kintsugi.dev/exit:0-after-1s" }));
    await node.createPod("p", doing("run", { initContainers: init }));
    await node.clock.advance(5 * second);
    expect(await node.running()).toEqual(["p/c#0"]);
    const { status } = await node.pod("p");
    expect(status?.initContainerStatuses?.map(({ name, state }) => [name, state?.terminated?.reason])).toEqual([
      ["one", "Completed"],
      ["two", "Completed"],
    ]);
    expect(status?.phase).toBe("Running");
  }));
