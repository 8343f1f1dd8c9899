import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment } from "@kintsugi/api";
import { attachmentNameOf, uniqueVolumeName } from "@kintsugi/csi";
import { expect, test } from "vitest";
import { aNode, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { attachDetachController } from "./controller.ts";

const csi = { driver: "a.example", volumeHandle: "h" };
const inUse = uniqueVolumeName(csi);
const volume: PersistentVolume = {
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "pv" },
  spec: { accessModes: ["ReadWriteOnce"], csi, claimRef: { namespace: "default", name: "data", uid: "uid-of-claim" } },
};
const claim: PersistentVolumeClaim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "default", uid: "uid-of-claim" },
  spec: { volumeName: "pv" },
  status: { phase: "Bound" },
};

function aPod(nodeName: string): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `on-${nodeName}`, namespace: "default", uid: `uid-on-${nodeName}` },
    spec: { nodeName, containers: [], volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] },
  };
}

async function startedCluster(): Promise<ControllerTestCluster> {
  const cluster = new ControllerTestCluster({ maxWaitForUnmountMs: 360_000 });
  for (const name of ["one", "two"]) cluster.put("nodes", aNode(name, { nowMs: cluster.clock.nowMs() }));
  cluster.put("persistentvolumes", volume);
  cluster.put("persistentvolumeclaims", claim);
  cluster.put("pods", aPod("one"));
  await cluster.start(attachDetachController);
  await cluster.clock.settle();
  return cluster;
}

const attachmentTo = (cluster: ControllerTestCluster, node: string) =>
  cluster.find<VolumeAttachment>("volumeattachments", attachmentNameOf(csi, node), "");

async function attached(cluster: ControllerTestCluster, node: string): Promise<void> {
  cluster.put("volumeattachments", { ...attachmentTo(cluster, node), status: { attached: true } } as VolumeAttachment);
  await cluster.clock.advance(1_000);
}

function report(cluster: ControllerTestCluster, name: string, volumesInUse: string[]): void {
  const node = cluster.node(name);
  cluster.put("nodes", { ...node, status: { ...node.status, volumesInUse } } as Node);
}

test("a pod's volume is attached to its node, the Node lists it, and the pod has an event", async () => {
  const cluster = await startedCluster();
  expect(attachmentTo(cluster, "one")?.spec).toEqual({
    attacher: "a.example",
    nodeName: "one",
    source: { persistentVolumeName: "pv" },
  });
  expect(cluster.node("one").status?.volumesAttached ?? []).toEqual([]);
  await attached(cluster, "one");
  expect(cluster.node("one").status?.volumesAttached).toEqual([{ name: inUse, devicePath: "" }]);
  expect(cluster.events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
    'SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "pv" ',
  ]);
});

test("a volume moves only after its node has unmounted it", async () => {
  const cluster = await startedCluster();
  await attached(cluster, "one");
  report(cluster, "one", [inUse]);
  cluster.remove("pods", aPod("one"));
  cluster.put("pods", aPod("two"));
  await cluster.clock.advance(600_000);
  expect([attachmentTo(cluster, "one"), attachmentTo(cluster, "two")].map((each) => each !== undefined)).toEqual([
    true,
    false,
  ]);
  expect(cluster.events.at(-1)?.message).toContain('Multi-Attach error for volume "pv"');
  report(cluster, "one", []);
  await cluster.clock.advance(1_000);
  expect(attachmentTo(cluster, "one")).toBeUndefined();
  expect(attachmentTo(cluster, "two")).toBeDefined();
  expect(cluster.node("one").status?.volumesAttached).toEqual([]);
});

test("a node that is out of service releases its volume immediately", async () => {
  const cluster = await startedCluster();
  await attached(cluster, "one");
  report(cluster, "one", [inUse]);
  const node = cluster.node("one");
  const taints = [{ key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" as const }];
  cluster.put("nodes", { ...node, spec: { ...node.spec, taints } } as Node);
  cluster.remove("pods", aPod("one"));
  await cluster.clock.advance(100);
  expect(attachmentTo(cluster, "one")).toBeUndefined();
});
