import type { Node, PersistentVolume, Pod, VolumeAttachment } from "@kintsugi/api";
import { attachmentNameOf, uniqueVolumeName } from "@kintsugi/csi";
import { expect, test } from "vitest";
import { type NodeVolumes, planVolumes } from "./plan.ts";

const csi = { driver: "a.example", volumeHandle: "h" };
const volume: PersistentVolume = {
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "pv" },
  spec: { accessModes: ["ReadWriteOnce"], csi },
};
const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "n" }, spec: { containers: [] } };

function anAttachment(nodeName: string, attached = true): VolumeAttachment {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    metadata: { name: attachmentNameOf(csi, nodeName) },
    spec: { attacher: csi.driver, nodeName, source: { persistentVolumeName: "pv" } },
    status: { attached },
  };
}

function aNode({ inUse = false, ready = "True" as "True" | "Unknown", outOfService = false }): Node {
  const taints = outOfService ? [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" as const }] : [];
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "one" },
    spec: { taints },
    status: {
      conditions: [{ type: "Ready", status: ready }],
      volumesInUse: inUse ? [uniqueVolumeName(csi)] : [],
    },
  };
}

const minute = 60_000;
function planOf(world: Partial<NodeVolumes>, nowMs = 0) {
  const { attachments = [] } = world;
  const whole: NodeVolumes = {
    nodeName: "one",
    node: aNode({}),
    wanted: [],
    attachments,
    attachmentsOf: () => attachments,
    findVolume: () => volume,
    unwantedSinceMs: () => 0,
    ...world,
  };
  return planVolumes(whole, { maxWaitForUnmountMs: 6 * minute }, nowMs);
}

test("a volume that a pod uses is attached once, and then the Node lists it", () => {
  expect(
    planOf({
      wanted: [
        { volume, pod },
        { volume, pod },
      ],
    }).attach,
  ).toHaveLength(1);
  const plan = planOf({ wanted: [{ volume, pod }], attachments: [anAttachment("one")] });
  expect(plan).toMatchObject({ attach: [], detach: [], volumesAttached: [uniqueVolumeName(csi)] });
});

test("a volume that is attached to another node is not attached, unless it supports several nodes", () => {
  const world = { wanted: [{ volume, pod }], attachments: [], attachmentsOf: () => [anAttachment("two")] };
  expect(planOf(world)).toMatchObject({ attach: [], heldElsewhere: [{ nodeName: "two" }] });
  const shared = { ...volume, spec: { ...volume.spec, accessModes: ["ReadWriteMany"] } };
  expect(planOf({ ...world, wanted: [{ volume: shared, pod }] }).attach).toHaveLength(1);
});

test.each<[string, Node | undefined, number, number]>([
  ["the node has unmounted it", aNode({}), 0, 1],
  ["the node still uses it", aNode({ inUse: true }), 0, 0],
  ["a ready node uses it, for any time", aNode({ inUse: true }), 7 * minute, 0],
  ["a node that is not ready uses it", aNode({ inUse: true, ready: "Unknown" }), 5 * minute, 0],
  ["a node that is not ready had its six minutes", aNode({ inUse: true, ready: "Unknown" }), 6 * minute, 1],
  ["the node is out of service", aNode({ inUse: true, ready: "Unknown", outOfService: true }), 0, 1],
  ["the Node is removed", undefined, 5 * minute, 0],
  ["the Node was removed six minutes ago", undefined, 6 * minute, 1],
])("an unwanted volume when %s", (_, node, nowMs, detached) => {
  const plan = planOf({ node, attachments: [anAttachment("one")] }, nowMs);
  expect(plan.detach).toHaveLength(detached);
  expect(plan.volumesAttached).toHaveLength(1 - detached);
});

test("the end of a wait is the time of the next decision", () => {
  const node = aNode({ inUse: true, ready: "Unknown" });
  expect(planOf({ node, attachments: [anAttachment("one")] }, minute).retryAfterMs).toBe(5 * minute);
});
