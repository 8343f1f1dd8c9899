import { expect, test } from "vitest";
import { doing } from "../../testing/builders.ts";
import { withNode } from "../../testing/test-node.ts";

const second = 1000;
const minute = 60 * second;

test("while the runtime is down no container counts as ended, and the node reports it after 30 s and recovers", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("run"));
    await node.clock.advance(2 * second);
    const before = (await node.pod("p")).metadata.resourceVersion;
    node.runtime.setAvailable(false);
    await node.clock.advance(60 * second);
    expect((await node.node()).status?.conditions?.at(-1)).toMatchObject({
      status: "False",
      reason: "KubeletNotReady",
      message: "container runtime is down",
    });
    expect((await node.pod("p")).metadata.resourceVersion).toBe(before);
    node.runtime.setAvailable(true);
    await node.clock.advance(30 * second);
    expect((await node.node()).status?.conditions?.at(-1)).toMatchObject({ status: "True", reason: "KubeletReady" });
    expect(node.runtime.callsOf("runPodSandbox").length).toBe(1);
    expect(await node.events()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^NodeNotReady:/), expect.stringMatching(/^NodeReady:/)]),
    );
  }));

test("without a listing for 3 minutes the node is not healthy, in upstream's words", () =>
  withNode(async (node) => {
    node.runtime.setAvailable(false);
    await node.clock.advance(4 * minute);
    const ready = (await node.node()).status?.conditions?.at(-1);
    expect(ready?.message).toMatch(/PLEG is not healthy: pleg was last seen active \d+m[\d.]+s ago; threshold is 3m0s/);
  }));
