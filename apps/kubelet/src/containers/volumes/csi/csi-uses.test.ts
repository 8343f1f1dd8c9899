import { persistentVolumeClaims, pods, secrets } from "@kintsugi/api";
import { RpcError } from "@kintsugi/grpc";
import { expect, test } from "vitest";
import { CsiNode } from "../../../testing/csi-node.ts";
import { volumeMetrics } from "../../../node/stats/resource-metrics.ts";
import { groupGiver } from "./driver-traits.ts";

const claimKey = { namespace: "default", name: "data" };
const podKey = { namespace: "default", name: "p" };
const ofClaim = { persistentVolumeClaim: { claimName: "data" } };

async function claimWaitsFor(node: CsiNode, storage: string): Promise<void> {
  const claim = await node.client.get(persistentVolumeClaims, claimKey);
  const status = {
    phase: "Bound",
    capacity: { storage: "1Gi" },
    allocatedResources: { storage },
    allocatedResourceStatuses: { storage: "NodeResizePending" },
    conditions: [{ type: "FileSystemResizePending", status: "True" }],
  };
  await node.client.update(persistentVolumeClaims, { ...claim, status });
}

async function claimStatus(node: CsiNode) {
  return (await node.client.get(persistentVolumeClaims, claimKey)).status;
}

test("a mounted file system grows when its claim waits for it", async () => {
  await using node = new CsiNode();
  await node.startWithClaim();
  await node.bindVolume(ofClaim);
  await node.attach();
  await claimWaitsFor(node, "2Gi");
  await node.clock.advance(31_000);
  expect(await claimStatus(node)).toEqual({
    phase: "Bound",
    capacity: { storage: "2Gi" },
    allocatedResources: { storage: "2Gi" },
    allocatedResourceStatuses: {},
    conditions: [],
  });
  const succeeded = 'FileSystemResizeSuccessful: MountVolume.NodeExpandVolume succeeded for volume "disk"';
  expect(await node.events()).toContainEqual(expect.stringContaining(succeeded));
});

test("a driver that cannot grow mounted file systems grows the file system when a pod starts again", async () => {
  await using node = new CsiNode();
  let mountedBefore = true;
  node.overrides = {
    nodeExpandVolume: async () => {
      if (mountedBefore) throw new RpcError("FAILED_PRECONDITION", "the file system is mounted");
      return { capacityBytes: 2 * 1024 ** 3 };
    },
  };
  await node.startWithClaim();
  await node.bindVolume(ofClaim);
  await node.attach();
  await claimWaitsFor(node, "2Gi");
  await node.clock.advance(120_000);
  expect(await claimStatus(node)).toMatchObject({
    capacity: { storage: "1Gi" },
    allocatedResourceStatuses: { storage: "NodeResizePending" },
    conditions: [{ type: "FileSystemResizePending", message: expect.stringContaining("(re-)start a pod") }],
  });
  const failures = (await node.events()).filter((event) => event.includes("VolumeResizeFailed"));
  expect(failures).toHaveLength(2);
  mountedBefore = false;
  await node.client.delete(pods, podKey);
  await node.clock.advance(60_000);
  await node.bindVolume(ofClaim);
  await node.clock.advance(10_000);
  expect((await claimStatus(node))?.capacity).toEqual({ storage: "2Gi" });
});

test("a size that the driver never provides is infeasible, with the driver's words", async () => {
  await using node = new CsiNode();
  node.overrides = { nodeExpandVolume: () => Promise.reject(new RpcError("OUT_OF_RANGE", "too large")) };
  await node.startWithClaim();
  await node.bindVolume(ofClaim);
  await node.attach();
  await claimWaitsFor(node, "2Gi");
  await node.clock.advance(31_000);
  expect(await claimStatus(node)).toMatchObject({
    allocatedResourceStatuses: { storage: "NodeResizeInfeasible" },
    conditions: [{ type: "NodeResizeError", message: expect.stringContaining("too large") }],
  });
});

test("a driver receives the Secrets that the volume names, and the kubelet waits for a missing Secret", async () => {
  await using node = new CsiNode();
  const ref = { namespace: "storage", name: "credentials" };
  const csi = { driver: node.cloud.driverName, volumeHandle: "", nodeStageSecretRef: ref, nodePublishSecretRef: ref };
  await node.startWithClaim({ csi });
  await node.bindVolume(ofClaim);
  await node.attach();
  expect(await node.events()).toContainEqual(
    expect.stringContaining("fetching secret storage/credentials failed: not found"),
  );
  expect(node.calls).toEqual([]);
  const data = { password: Buffer.from("hush").toString("base64") };
  await node.client.create(secrets, { apiVersion: "v1", kind: "Secret", metadata: ref, data });
  await node.clock.advance(60_000);
  expect(node.requests).toMatchObject([{ secrets: { password: "hush" } }, { secrets: { password: "hush" } }]);
});

test("a driver that requests pod information receives the pod and its service account", async () => {
  await using node = new CsiNode();
  await node.describeDriver({ podInfoOnMount: true, attachRequired: false });
  await node.startWithClaim();
  await node.cloud.controller.controllerPublishVolume({
    volumeId: node.source.volumeHandle,
    nodeId: "id-of-node-1",
    volumeCapability: {
      mount: { fsType: "ext4", mountFlags: [] },
      accessMode: { mode: "SINGLE_NODE_WRITER" },
    },
    readonly: false,
  });
  await node.bindVolume(ofClaim, { serviceAccountName: "bot" });
  expect(node.requests.at(-1)).toMatchObject({
    volumeContext: {
      "csi.storage.k8s.io/pod.name": "p",
      "csi.storage.k8s.io/pod.namespace": "default",
      "csi.storage.k8s.io/serviceAccount.name": "bot",
      "csi.storage.k8s.io/ephemeral": "false",
    },
  });
});

test("a raw device is published as a block device, and its container gets it at its path", async () => {
  await using node = new CsiNode();
  await node.startWithClaim({ volumeMode: "Block" });
  const containers = [{ name: "c", image: "i", volumeDevices: [{ name: "v", devicePath: "/dev/data" }] }];
  await node.bindVolume(ofClaim, { containers });
  await node.attach();
  expect(node.requests).toMatchObject([{ volumeCapability: { block: {} } }, { volumeCapability: { block: {} } }]);
  const [created] = node.runtime.callsOf("createContainer");
  const { uid } = (await node.client.get(pods, podKey)).metadata;
  const hostPath = `/kubelet/pods/${uid}/volumes/kubernetes.io~csi/disk/device`;
  expect(JSON.stringify(created)).toContain(
    JSON.stringify([{ containerPath: "/dev/data", hostPath, permissions: "mrw" }]),
  );
  await node.client.delete(pods, podKey);
  await node.clock.advance(60_000);
  expect(node.calls).toEqual(["stage", "publish", "unpublish", "unstage"]);
});

test("an inline volume is published for its pod alone and is removed with it", async () => {
  await using node = new CsiNode();
  await node.describeDriver({ volumeLifecycleModes: ["Ephemeral"], podInfoOnMount: true });
  node.overrides = { nodePublishVolume: async () => ({}) };
  await node.startWithClaim();
  const secret = { metadata: { namespace: "default", name: "s" }, data: {} };
  await node.client.create(secrets, { apiVersion: "v1", kind: "Secret", ...secret });
  const source = { driver: node.cloud.driverName, volumeAttributes: { size: "1Mi" } };
  await node.bindVolume({ csi: { ...source, nodePublishSecretRef: { name: "s" } } });
  await node.clock.advance(10_000);
  expect(node.requests).toMatchObject([
    {
      volumeId: expect.stringMatching(/^csi-[0-9a-f]{64}$/),
      readonly: false,
      volumeContext: { size: "1Mi", "csi.storage.k8s.io/ephemeral": "true" },
    },
  ]);
  expect(await node.running()).toEqual(["p/c#0"]);
  await node.client.delete(pods, podKey);
  await node.clock.advance(60_000);
  expect(node.calls).toEqual(["publish", "unpublish"]);
});

test("a driver without the mode Ephemeral has no inline volumes, and the pod's event reports this", async () => {
  await using node = new CsiNode();
  await node.describeDriver({ volumeLifecycleModes: ["Persistent"] });
  await node.startWithClaim();
  await node.bindVolume({ csi: { driver: node.cloud.driverName } });
  const refusal = `volume mode "Ephemeral" not supported by driver ${node.cloud.driverName} (only supports ["Persistent"])`;
  expect(await node.events()).toContainEqual(expect.stringContaining(refusal));
});

const forOne = { fsGroup: 5, readonly: false, fsType: "ext4", accessModes: ["ReadWriteOnce"] };
const byDefault = { policy: "ReadWriteOnceWithFSType", isDelegated: false } as const;

test.each([
  ["a pod without a group", { ...forOne, fsGroup: undefined }, byDefault, "none"],
  ["a ReadWriteOnce volume", forOne, byDefault, "kubelet"],
  ["a ReadWriteOncePod volume", { ...forOne, accessModes: ["ReadWriteOncePod"] }, byDefault, "kubelet"],
  ["an inline volume with a type", { ...forOne, accessModes: undefined }, byDefault, "kubelet"],
  ["a volume without a type", { ...forOne, fsType: "" }, byDefault, "none"],
  ["a volume for many nodes", { ...forOne, accessModes: ["ReadWriteMany"] }, byDefault, "none"],
  [
    "a volume for many nodes with the policy File",
    { ...forOne, accessModes: ["ReadWriteMany"] },
    { ...byDefault, policy: "File" },
    "kubelet",
  ],
  ["a read-only mount", { ...forOne, readonly: true }, { ...byDefault, policy: "File" }, "none"],
  ["the policy None", forOne, { ...byDefault, policy: "None" }, "none"],
  ["a driver with VOLUME_MOUNT_GROUP", forOne, { policy: "None", isDelegated: true }, "driver"],
] as const)("the group of %s", (_name, volume, driver, giver) => {
  expect(groupGiver(volume, driver)).toBe(giver);
});

test("a claim's usage is in the summary with its claim, and in upstream's series", async () => {
  await using node = new CsiNode();
  await node.startWithClaim();
  await node.bindVolume(ofClaim);
  await node.attach();
  const summary = await node.kubelet?.stats.summary();
  expect(summary?.pods[0]?.volume).toMatchObject([
    { name: "v", pvcRef: claimKey, capacityBytes: 1024 ** 3, availableBytes: 1024 ** 3, inodes: 1000, inodesUsed: 1 },
  ]);
  const text = volumeMetrics((await node.kubelet?.stats.claims()) ?? []);
  const labels = '{namespace="default",persistentvolumeclaim="data"}';
  expect(text).toContain(`kubelet_volume_stats_capacity_bytes${labels} 1073741824\n`);
  expect(text).toContain(`kubelet_volume_stats_inodes_used${labels} 1\n`);
});

test("a driver that does not answer delays the summary by a few seconds and only its volume is missing", async () => {
  await using node = new CsiNode();
  node.overrides = {
    nodeGetVolumeStats: (_request, signal) =>
      new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("given up")))),
  };
  await node.startWithClaim();
  await node.bindVolume(ofClaim);
  await node.attach();
  const summary = node.kubelet?.stats.summary();
  await node.clock.advance(6_000);
  expect((await summary)?.pods[0]?.volume).toEqual([]);
});
