import { expect, test } from "vitest";
import { doing } from "../../testing/builders.ts";
import { withNode } from "../../testing/test-node.ts";

const second = 1000;

test("an ended sandbox is replaced once, with its containers", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("run"));
    await node.clock.advance(2 * second);
    const [sandbox] = await node.runtime.listPodSandboxes();
    node.runtime.killSandbox(sandbox?.id ?? "");
    await node.clock.advance(20 * second);
    expect(node.runtime.callsOf("runPodSandbox").length).toBe(2);
    expect(await node.running()).toEqual(["p/c#1"]);
    expect((await node.pod("p")).status?.containerStatuses?.[0]?.restartCount).toBe(1);
    expect(await node.events()).toContain("SandboxChanged: Pod sandbox changed, it will be killed and re-created.");
  }));
