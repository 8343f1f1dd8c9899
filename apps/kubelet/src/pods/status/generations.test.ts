import { type Pod, pods } from "@kintsugi/api";
import { expect, test } from "vitest";
import { type TestNode, withNode } from "../../testing/test-node.ts";

// The generation in the status shows a client that has changed a pod's spec whether the kubelet has
// read the change.

const second = 1000;

const generations = ({ status }: Pod) => ({
  status: status?.observedGeneration,
  conditions: [...new Set((status?.conditions ?? []).map((condition) => condition.observedGeneration))],
});

/** Does the API server's part of a change of the spec. */
async function change(node: TestNode, name: string): Promise<void> {
  const pod = await node.pod(name);
  const metadata = { ...pod.metadata, generation: (pod.metadata.generation ?? 0) + 1 };
  await node.client.update(pods, { ...pod, metadata, spec: { ...pod.spec, activeDeadlineSeconds: 5000 } as never });
  await node.clock.advance(second);
}

test("a status and its conditions have the generation of the spec that they describe", () =>
  withNode(async (node) => {
    await node.createPod("p", {}, { generation: 1 });
    await node.clock.advance(5 * second);
    expect(generations(await node.pod("p"))).toEqual({ status: 1, conditions: [1] });
    expect((await node.pod("p")).status?.conditions?.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["PodScheduled", "Initialized", "ContainersReady", "Ready"]),
    );
    await change(node, "p");
    expect(generations(await node.pod("p"))).toEqual({ status: 2, conditions: [2] });
  }));

test("a rejected pod reports the generation that its node rejected", () =>
  withNode(async (node) => {
    await node.createPod("p", { os: { name: "windows" } }, { generation: 1 });
    await node.clock.advance(second);
    expect(await node.pod("p")).toMatchObject({ status: { phase: "Failed", observedGeneration: 1 } });
  }));
