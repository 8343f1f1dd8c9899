import { type Node, type Pod, podFenceAnnotation, type PodSpec, pods, type Toleration } from "@kintsugi/api";
import { expect, test } from "vitest";
import { type TestNode, withNode } from "../../testing/test-node.ts";

// Pods that requested to be stopped before another node may run their replacement.

const second = 1000;
const unreachable = "node.kubernetes.io/unreachable";
const tolerations: Toleration[] = [
  { key: unreachable, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
];

/**
 * A pod that runs and has requested the fence, on a node that has reported this to the API before
 * it is cut off.
 */
async function createFenced(node: TestNode, spec: Partial<PodSpec> = {}): Promise<Pod> {
  const containers = [{ name: "c", image: "script.kintsugi.dev/run" }];
  await node.createPod("p", { containers, tolerations, ...spec });
  const body = { metadata: { annotations: { [podFenceAnnotation]: "true" } } };
  return node.client.patch(pods, { namespace: "default", name: "p" }, { type: "merge", body });
}

function cutOff(node: TestNode): void {
  node.api.isDown = true;
  node.api.endWatches(true);
}

function taintNode(node: TestNode, taints: NonNullable<NonNullable<Node["spec"]>["taints"]>): void {
  const stored = node.api.log.find("nodes", "", "node-1") as Node;
  node.api.log.put("nodes", { ...stored, spec: { ...stored.spec, taints } } as Node);
}

const fencedCondition = (pod: Pod) => pod.status?.conditions?.find(({ type }) => type === "kintsugi.dev/SelfFenced");

test("a node that is cut off stops its fenced pods after the grace period and a margin, and restarts them when it returns", () =>
  withNode(async (node) => {
    await createFenced(node);
    await node.createPod("other", { containers: [{ name: "c", image: "script.kintsugi.dev/run" }], tolerations });
    await node.clock.advance(15 * second);
    // The next renewal is due at 20 s, so the last one was sent at about 10 s.
    cutOff(node);
    await node.clock.advance(43 * second);
    expect(await node.running()).toEqual(["other/c#0", "p/c#0"]);
    await node.clock.advance(10 * second);
    expect(await node.running()).toEqual(["other/c#0"]);
    await node.clock.advance(100 * second);
    expect(await node.running()).toEqual(["other/c#0"]);

    node.api.isDown = false;
    await node.clock.advance(15 * second);
    expect(await node.running()).toEqual(["other/c#0", "p/c#1"]);
    const pod = await node.pod("p");
    expect(pod.status?.phase).toBe("Running");
    expect(fencedCondition(pod)).toBeUndefined();
    const told = (await node.events()).join("\n");
    expect(told).toMatch(/SelfFenced: Node node-1 could not renew its Lease for 50 s/);
    expect(told).toMatch(/Killing: Node node-1 could not renew its Lease/);
    expect(told).toMatch(/SelfFenceLifted: Node node-1 reaches the API server again/);
  }));

test("a node whose API server is down for a shorter time does not stop pods", () =>
  withNode(async (node) => {
    await createFenced(node);
    await node.clock.advance(15 * second);
    cutOff(node);
    await node.clock.advance(30 * second);
    node.api.isDown = false;
    await node.clock.advance(60 * second);
    expect(await node.running()).toEqual(["p/c#0"]);
    expect((await node.events()).join("\n")).not.toContain("SelfFenced");
  }));

test("a pod that was replaced in the meantime does not restart, not even briefly", () =>
  withNode(async (node) => {
    await createFenced(node);
    await node.clock.advance(15 * second);
    cutOff(node);
    await node.clock.advance(100 * second);
    expect(await node.running()).toEqual([]);
    node.api.log.delete("pods", node.api.log.find("pods", "default", "p") as Pod);
    node.api.isDown = false;
    for (let step = 0; step < 300; step++) {
      await node.clock.advance(100);
      expect(await node.running()).toEqual([]);
    }
    expect(await node.runtime.listPodSandboxes()).toEqual([]);
  }));

test("a pod whose eviction is in progress waits until the node's taint is removed, and its status states the reason", () =>
  withNode(async (node) => {
    await createFenced(node);
    await node.clock.advance(15 * second);
    cutOff(node);
    await node.clock.advance(100 * second);
    taintNode(node, [{ key: unreachable, effect: "NoExecute" }]);
    node.api.isDown = false;
    await node.clock.advance(20 * second);
    expect(await node.running()).toEqual([]);
    expect(fencedCondition(await node.pod("p"))).toMatchObject({ status: "True", reason: "NodeCutOff" });
    taintNode(node, []);
    await node.clock.advance(3 * second);
    expect(await node.running()).toEqual(["p/c#1"]);
    expect(fencedCondition(await node.pod("p"))).toBeUndefined();
  }));

test("a pod that never restarts fails, for any exit code", () =>
  withNode(async (node) => {
    await createFenced(node, { restartPolicy: "OnFailure" });
    await node.clock.advance(15 * second);
    cutOff(node);
    await node.clock.advance(60 * second);
    expect(await node.running()).toEqual([]);
    node.api.isDown = false;
    await node.clock.advance(30 * second);
    expect(await node.running()).toEqual([]);
    expect((await node.pod("p")).status).toMatchObject({ phase: "Failed", reason: "SelfFenced" });
  }));

test("a pod that ignores its signal has ended before a pod without tolerations is evicted", () =>
  withNode(async (node) => {
    await createFenced(node, { tolerations: [], containers: [{ name: "c", image: "script.kintsugi.dev/stubborn" }] });
    await node.clock.advance(15 * second);
    cutOff(node);
    // The last renewal was sent at 10 s at the earliest, so the node is considered lost at 50 s.
    await node.clock.advance(34 * second);
    expect(await node.running()).toEqual([]);
  }));

test("a pod that is created while the node is cut off does not start", () =>
  withNode(async (node) => {
    await createFenced(node, { containers: [{ name: "c", image: "script.kintsugi.dev/pull-after:55s" }] });
    await node.clock.advance(2 * second);
    cutOff(node);
    await node.clock.advance(120 * second);
    expect(await node.runtime.listContainers()).toEqual([]);
    node.api.isDown = false;
    await node.clock.advance(120 * second);
    expect(await node.running()).toEqual([expect.stringMatching(/^p\/c#/)]);
  }));
