import {
  leases,
  type PersistentVolume,
  persistentVolumeClaims,
  persistentVolumes,
  csiNodes,
  type VolumeAttachment,
  volumeAttachments,
} from "@kintsugi/api";
import { afterEach, expect, test } from "vitest";
import { driverName, StorageWorld, driverZoneLabel } from "./testing/storage-world.ts";

const world = { current: new StorageWorld() };
afterEach(() => {
  world.current.stop();
  world.current = new StorageWorld();
});

test("a claim gets a volume of its size in a zone of the driver, and the volume names the claim", async () => {
  const { current } = world;
  await current.start();
  const claim = await current.claim();
  const [disk] = current.cloud.disks;
  expect(await current.volume()).toMatchObject({
    metadata: {
      name: `pvc-${claim.metadata.uid}`,
      annotations: { "pv.kubernetes.io/provisioned-by": driverName },
      finalizers: ["external-provisioner.volume.kubernetes.io/finalizer"],
    },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: "Delete",
      storageClassName: "standard",
      claimRef: { namespace: "default", name: "data", uid: claim.metadata.uid },
      csi: { driver: driverName, volumeHandle: disk?.id, fsType: "ext4" },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: driverZoneLabel, operator: "In", values: [disk?.zone] }] }],
        },
      },
    },
  });
  expect(await current.reasons()).toEqual([
    'Provisioning: External provisioner is provisioning volume for claim "default/data"',
    `ProvisioningSucceeded: Successfully provisioned volume pvc-${claim.metadata.uid}`,
  ]);
});

test("a class that waits for a consumer gets its volume in the selected node's zone", async () => {
  const { current } = world;
  await current.start("WaitForFirstConsumer");
  const claim = await current.claim();
  expect(current.cloud.disks).toEqual([]);
  const annotations = { ...claim.metadata.annotations, "volume.kubernetes.io/selected-node": "node-2" };
  await current.client.update(persistentVolumeClaims, { ...claim, metadata: { ...claim.metadata, annotations } });
  await current.clock.advance(100);
  expect(current.cloud.disks.map(({ zone }) => zone)).toEqual(["zone-2"]);
});

test("a claim whose selected node's zone is full is returned to the scheduler", async () => {
  const { current } = world;
  await current.start("WaitForFirstConsumer");
  await current.claim({ "volume.kubernetes.io/selected-node": "node-1" }, "11Gi");
  const claim = await current.client.get(persistentVolumeClaims, { namespace: "default", name: "data" });
  expect(claim.metadata.annotations).not.toHaveProperty(["volume.kubernetes.io/selected-node"]);
  const reasons = await current.reasons();
  expect(reasons).toContainEqual(
    expect.stringContaining(
      'ProvisioningFailed: failed to provision volume with StorageClass "standard": rpc error: code = ResourceExhausted desc = ',
    ),
  );
});

test("a lost response never creates a second disk", async () => {
  const { current } = world;
  await current.start();
  current.faults.set("createVolume", { losesAnswer: true });
  await current.claim();
  expect(current.cloud.disks).toHaveLength(1);
  current.faults.clear();
  await current.clock.advance(120_000);
  expect(current.cloud.disks).toHaveLength(1);
  expect(await current.volume()).toBeDefined();
});

test("a disk whose response was lost is removed with its claim", async () => {
  const { current } = world;
  await current.start();
  current.faults.set("createVolume", { losesAnswer: true });
  await current.claim();
  expect(current.cloud.disks).toHaveLength(1);
  await current.client.delete(persistentVolumeClaims, { namespace: "default", name: "data" });
  current.faults.set("createVolume", { error: { code: "DEADLINE_EXCEEDED", message: "no answer in time" } });
  current.giveUp();
  await current.clock.advance(10_000);
  expect(current.cloud.disks).toHaveLength(1);
  current.faults.clear();
  await current.clock.advance(120_000);
  expect(current.cloud.disks).toEqual([]);
  expect(await current.volume()).toBeUndefined();
});

test("a volume that could not be recorded leaves no disk after its claim is deleted", async () => {
  const { current } = world;
  await current.start();
  current.faults.set("createVolume", { losesAnswer: true });
  await current.claim();
  current.giveUp();
  await current.client.delete(persistentVolumeClaims, { namespace: "default", name: "data" });
  current.faults.clear();
  await current.clock.advance(120_000);
  expect(current.cloud.disks).toEqual([]);
});

test("an attachment is created with the driver's name for the node, and is detached before its removal", async () => {
  const { current } = world;
  await current.start();
  await current.claim();
  const node = current.cloud.disks[0]?.zone === "zone-1" ? "node-1" : "node-2";
  await current.attach(node);
  const attachment = await current.attachment();
  expect(attachment).toMatchObject({
    metadata: {
      annotations: { "csi.alpha.kubernetes.io/node-id": `id-of-${node}` },
      finalizers: [`external-attacher/${driverName}`],
    },
    status: { attached: true },
  });
  expect(current.cloud.disks[0]?.attachment?.nodeId).toBe(`id-of-${node}`);
  expect((await current.volume())?.metadata.finalizers).toContain(`external-attacher/${driverName}`);
  // Neither the node nor the driver's entry exists at that time.
  await current.client.delete(csiNodes, { namespace: "", name: node });
  const metadata = { ...attachment?.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
  await current.client.update(volumeAttachments, { ...(attachment as VolumeAttachment), metadata });
  await current.clock.advance(100);
  expect(current.cloud.disks[0]?.attachment).toBeUndefined();
  expect(await current.attachment()).toBeUndefined();
});

test("the driver's error is in the attachment's status until an attempt succeeds", async () => {
  const { current } = world;
  await current.start();
  await current.claim();
  const other = current.cloud.disks[0]?.zone === "zone-1" ? "node-2" : "node-1";
  await current.attach(other);
  expect((await current.attachment())?.status).toMatchObject({
    attached: false,
    attachError: { message: expect.stringContaining("rpc error: code = FailedPrecondition desc = ") },
  });
});

test("the disk of a released volume is deleted after its detachment, and then the volume is deleted", async () => {
  const { current } = world;
  await current.start();
  await current.claim();
  const node = current.cloud.disks[0]?.zone === "zone-1" ? "node-1" : "node-2";
  await current.attach(node);
  const volume = (await current.volume()) as PersistentVolume;
  await current.client.update(persistentVolumes, { ...volume, status: { phase: "Released" } });
  await current.clock.advance(1_000);
  expect(current.cloud.disks).toHaveLength(1);
  await current.cloud.controller.controllerUnpublishVolume({ volumeId: current.cloud.disks[0]?.id ?? "", nodeId: "" });
  await current.client.delete(volumeAttachments, { namespace: "", name: `to-${node}` });
  await current.clock.advance(1_000);
  expect(current.cloud.disks).toEqual([]);
  expect(await current.volume()).toBeUndefined();
});

test("the disk of a retained volume is kept", async () => {
  const { current } = world;
  await current.start();
  await current.claim();
  const volume = (await current.volume()) as PersistentVolume;
  const spec = { ...volume.spec, persistentVolumeReclaimPolicy: "Retain" };
  await current.client.update(persistentVolumes, { ...volume, spec, status: { phase: "Released" } });
  await current.clock.advance(1_000);
  expect(current.cloud.disks).toHaveLength(1);
});

test("every controller that lost its Lease starts again", async () => {
  const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
  const leaderElection = { namespace: "kube-system", name: "csi", identity: "one", ...times };
  world.current = new StorageWorld({ leaderElection });
  const { current } = world;
  await current.start();
  await current.clock.advance(1_000);
  current.isApiDown = true;
  await current.clock.advance(60_000);
  current.isApiDown = false;
  await current.clock.advance(60_000);
  await current.claim();
  expect(current.cloud.disks).toHaveLength(1);
  await current.bind("data");
  await current.snapshotClass();
  await current.snapshotOf({ persistentVolumeClaimName: "data" });
  await current.clock.advance(5_000);
  expect((await current.snapshot())?.status?.readyToUse).toBe(true);
  const { items } = await current.client.list(leases);
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["csi", "csi-modification", "csi-snapshots"]);
});
