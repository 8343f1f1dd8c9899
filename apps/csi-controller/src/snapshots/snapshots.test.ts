import { persistentVolumeClaims, secrets, volumeSnapshotClasses, volumeSnapshotContents } from "@kintsugi/api";
import { afterEach, describe, expect, test } from "vitest";
import { driverName, StorageWorld } from "../testing/storage-world.ts";

const world = { current: new StorageWorld() };
afterEach(() => {
  world.current.stop();
  world.current = new StorageWorld();
});

const ofClaim = { persistentVolumeClaimName: "data" };
const minute = 60_000;
const claimNames = async () => {
  const { items } = await world.current.client.list(persistentVolumeClaims);
  return items.map(({ metadata }) => metadata.name);
};
const sourceClaim = () => world.current.client.find(persistentVolumeClaims, { namespace: "default", name: "data" });

describe("a snapshot of a claim", () => {
  test("gets a content of the driver's default class, and becomes ready with upstream's events", async () => {
    const { current } = world;
    await current.startBound();
    await current.snapshotClass();
    await current.snapshotOf(ofClaim);
    const snapshot = await current.snapshot();
    const content = await current.content();
    const [taken] = current.cloud.snapshots;
    expect(snapshot).toMatchObject({
      metadata: {
        finalizers: [
          "snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection",
          "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection",
        ],
      },
      spec: { source: ofClaim, volumeSnapshotClassName: "snaps" },
      status: {
        boundVolumeSnapshotContentName: `snapcontent-${snapshot?.metadata.uid}`,
        readyToUse: true,
        restoreSize: "1Gi",
        creationTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
    });
    expect(content).toMatchObject({
      metadata: {
        name: `snapcontent-${snapshot?.metadata.uid}`,
        annotations: {},
        finalizers: ["snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection"],
      },
      spec: {
        driver: driverName,
        deletionPolicy: "Delete",
        source: { volumeHandle: current.cloud.disks[0]?.id },
        sourceVolumeMode: "Filesystem",
        volumeSnapshotRef: { kind: "VolumeSnapshot", namespace: "default", name: "snap", uid: snapshot?.metadata.uid },
      },
      status: { snapshotHandle: taken?.id, readyToUse: true, restoreSize: 1024 ** 3 },
    });
    expect(taken?.name).toBe(`snapshot-${snapshot?.metadata.uid}`);
    expect((await sourceClaim())?.metadata.finalizers ?? []).toEqual([]);
    expect((await current.reasons()).filter((reason) => reason.includes("napshot"))).toEqual([
      "CreatingSnapshot: Waiting for a snapshot default/snap to be created by the CSI driver.",
      "SnapshotCreated: Snapshot default/snap was successfully created by the CSI driver.",
      "SnapshotReady: Snapshot default/snap is ready to use.",
    ]);
  });

  test("is ready once the driver has uploaded it", async () => {
    world.current = new StorageWorld({ snapshotUploadMs: minute });
    const { current } = world;
    await current.startBound();
    await current.snapshotClass();
    await current.snapshotOf(ofClaim);
    expect((await current.snapshot())?.status).toMatchObject({ readyToUse: false, restoreSize: "1Gi" });
    expect((await current.content())?.metadata.annotations).toEqual({});
    await current.restore();
    expect(current.cloud.disks).toHaveLength(1);
    await current.clock.advance(2 * minute);
    expect((await current.snapshot())?.status?.readyToUse).toBe(true);
    expect(current.cloud.disks).toHaveLength(2);
    expect(await current.reasons()).toContainEqual(expect.stringContaining("snapshot snap is not Ready"));
  });

  test.each([
    [
      "without a class of the driver",
      undefined,
      {},
      "SetDefaultSnapshotClassFailed",
      "cannot find default snapshot class",
    ],
    [
      "of a missing class",
      { driver: driverName },
      { volumeSnapshotClassName: "no" },
      "GetSnapshotClassFailed",
      '"no" not found',
    ],
    [
      "of another driver's class",
      { driver: "other" },
      { volumeSnapshotClassName: "snaps" },
      "GetSnapshotClassFailed",
      "belongs to the driver other",
    ],
  ])("%s waits for a class, and reports that", async (_, snapshotClass, spec, reason, message) => {
    const { current } = world;
    await current.startBound();
    if (snapshotClass !== undefined) await current.snapshotClass("snaps", snapshotClass);
    await current.snapshotOf(ofClaim, spec);
    const { status } = (await current.snapshot()) ?? {};
    expect(status).toMatchObject({ readyToUse: false, error: { message: expect.stringContaining(message) } });
    expect(await current.reasons()).toContainEqual(expect.stringMatching(new RegExp(`^${reason}: `)));
    expect(await current.content()).toBeUndefined();
  });

  test("is rejected if two classes are the default, and is created once a single default is left", async () => {
    const { current } = world;
    await current.startBound();
    await current.snapshotClass("a");
    await current.snapshotClass("b");
    await current.snapshotOf(ofClaim);
    expect((await current.snapshot())?.status?.error?.message).toContain("2 default snapshot classes were found");
    await current.client.delete(volumeSnapshotClasses, { namespace: "", name: "b" });
    await current.clock.advance(1_000);
    expect(await current.snapshot()).toMatchObject({
      spec: { volumeSnapshotClassName: "a" },
      status: { readyToUse: true },
    });
    expect((await current.snapshot())?.status).not.toHaveProperty("error");
  });

  test("waits for its claim to be bound", async () => {
    const { current } = world;
    await current.start();
    await current.claim();
    await current.snapshotClass();
    await current.snapshotOf(ofClaim);
    expect((await current.snapshot())?.status?.error?.message).toContain("is not yet bound to a PV");
    await current.bind("data");
    expect((await current.snapshot())?.status?.readyToUse).toBe(true);
  });

  test("protects its claim until the driver has created it", async () => {
    const { current } = world;
    await current.startBound();
    await current.snapshotClass();
    current.faults.set("createSnapshot", { error: { code: "UNAVAILABLE", message: "later" } });
    await current.snapshotOf(ofClaim);
    expect((await sourceClaim())?.metadata.finalizers).toEqual([
      "snapshot.storage.kubernetes.io/pvc-as-source-protection",
    ]);
    await current.client.delete(persistentVolumeClaims, { namespace: "default", name: "data" });
    await current.clock.advance(1_000);
    expect(await claimNames()).toEqual(["data"]);
    current.faults.clear();
    await current.clock.advance(2 * minute);
    expect(await claimNames()).toEqual([]);
    expect((await current.snapshot())?.status?.readyToUse).toBe(true);
  });

  test("shows the driver's error until an attempt succeeds", async () => {
    const { current } = world;
    await current.startBound();
    await current.snapshotClass();
    current.faults.set("createSnapshot", { error: { code: "FAILED_PRECONDITION", message: "not now" } });
    await current.snapshotOf(ofClaim);
    const message =
      "Failed to create snapshot: failed to take snapshot of the volume " +
      `${current.cloud.disks[0]?.id}: "rpc error: code = FailedPrecondition desc = not now"`;
    expect((await current.snapshot())?.status).toMatchObject({ readyToUse: false, error: { message } });
    expect((await current.content())?.metadata.annotations).toEqual({});
    current.faults.clear();
    await current.clock.advance(2 * minute);
    expect((await current.snapshot())?.status).toMatchObject({ readyToUse: true });
    expect((await current.snapshot())?.status).not.toHaveProperty("error");
    expect((await current.content())?.status).not.toHaveProperty("error");
  });

  test("is created once, even if responses are lost and the process is killed", async () => {
    const { current } = world;
    await current.startBound();
    await current.snapshotClass();
    current.faults.set("createSnapshot", { losesAnswer: true });
    await current.snapshotOf(ofClaim);
    expect((await current.content())?.metadata.annotations).toEqual({
      "snapshot.storage.kubernetes.io/volumesnapshot-being-created": "yes",
    });
    current.restart();
    await current.clock.advance(1_000);
    current.faults.clear();
    current.giveUp();
    await current.clock.advance(2 * minute);
    expect((await current.snapshot())?.status?.readyToUse).toBe(true);
    expect((await current.content())?.metadata.annotations).toEqual({});
    expect(current.cloud.snapshots).toHaveLength(1);
    expect(current.cloud.copies).toHaveLength(1);
  });

  test("passes the class's parameters and Secret to the driver, both to create and to delete it", async () => {
    const { current } = world;
    await current.startBound();
    const parameters = {
      "csi.storage.k8s.io/snapshotter-secret-name": "${volumesnapshot.name}-key",
      "csi.storage.k8s.io/snapshotter-secret-namespace": "keys",
    };
    await current.snapshotClass("snaps", { parameters });
    await current.snapshotOf(ofClaim);
    expect((await current.snapshot())?.status?.error?.message).toContain(
      "failed to get secret snap-key in namespace keys",
    );
    await current.put(secrets, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace: "keys", name: "snap-key" },
      data: { key: "czNjcjN0" },
    });
    await current.clock.advance(2 * minute);
    expect((await current.content())?.metadata.annotations).toEqual({
      "snapshot.storage.kubernetes.io/deletion-secret-name": "snap-key",
      "snapshot.storage.kubernetes.io/deletion-secret-namespace": "keys",
    });
    await current.client.delete(volumeSnapshotClasses, { namespace: "", name: "snaps" });
    await current.deleteSnapshot();
    expect(await current.snapshot()).toBeUndefined();
    expect(current.cloud.copies).toEqual([]);
  });
});

describe("a snapshot that is deleted", () => {
  test("deletes its content and the driver's snapshot if the policy is Delete", async () => {
    const { current } = world;
    await current.startBound();
    await current.snapshotClass();
    await current.snapshotOf(ofClaim);
    await current.deleteSnapshot();
    expect([await current.snapshot(), await current.content()]).toEqual([undefined, undefined]);
    expect(current.cloud.copies).toEqual([]);
  });

  test("keeps both if the policy is Retain, even if the content is deleted later", async () => {
    const { current } = world;
    await current.startBound();
    await current.snapshotClass("snaps", { deletionPolicy: "Retain" });
    await current.snapshotOf(ofClaim);
    await current.deleteSnapshot();
    expect(await current.snapshot()).toBeUndefined();
    const content = await current.content();
    expect(content?.metadata).toMatchObject({
      annotations: { "snapshot.storage.kubernetes.io/volumesnapshot-being-deleted": "yes" },
    });
    await current.client.delete(volumeSnapshotContents, { namespace: "", name: content?.metadata.name ?? "" });
    await current.clock.advance(1_000);
    expect(await current.content()).toBeUndefined();
    expect(current.cloud.snapshots).toHaveLength(1);
  });

  test("remains while the driver cannot delete it", async () => {
    const { current } = world;
    await current.startBound();
    await current.snapshotClass();
    await current.snapshotOf(ofClaim);
    current.faults.set("deleteSnapshot", { error: { code: "FAILED_PRECONDITION", message: "in use" } });
    await current.deleteSnapshot();
    expect((await current.snapshot())?.metadata.finalizers).toEqual([
      "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection",
    ]);
    expect(await current.reasons()).toContain(
      "SnapshotDeleteError: Failed to delete snapshot: rpc error: code = FailedPrecondition desc = in use",
    );
    current.faults.clear();
    await current.clock.advance(2 * minute);
    expect(await current.snapshot()).toBeUndefined();
  });

  test("while it is being created leaves no copy", async () => {
    const { current } = world;
    await current.startBound();
    await current.snapshotClass();
    current.faults.set("createSnapshot", { losesAnswer: true });
    await current.snapshotOf(ofClaim);
    expect(current.cloud.copies).toHaveLength(1);
    await current.deleteSnapshot();
    expect(await current.snapshot()).toBeDefined();
    expect((await current.content())?.metadata.deletionTimestamp).toBeDefined();
    current.faults.clear();
    current.giveUp();
    await current.clock.advance(5 * minute);
    expect([await current.snapshot(), await current.content()]).toEqual([undefined, undefined]);
    expect(current.cloud.copies).toEqual([]);
    expect((await sourceClaim())?.metadata.finalizers ?? []).toEqual([]);
  });

  test("before it could be created is removed immediately, and releases its claim", async () => {
    const { current } = world;
    await current.startBound();
    await current.snapshotClass();
    current.faults.set("createSnapshot", { error: { code: "FAILED_PRECONDITION", message: "never" } });
    await current.snapshotOf(ofClaim);
    await current.deleteSnapshot();
    await current.clock.advance(minute);
    expect([await current.snapshot(), await current.content()]).toEqual([undefined, undefined]);
    expect((await sourceClaim())?.metadata.finalizers ?? []).toEqual([]);
  });

  test("remains until the claim that is restored from it has its volume", async () => {
    const { current } = world;
    await current.startBound();
    await current.snapshotClass();
    await current.snapshotOf(ofClaim);
    current.faults.set("createVolume", { error: { code: "UNAVAILABLE", message: "later" } });
    await current.restore();
    await current.deleteSnapshot();
    expect(current.cloud.snapshots).toHaveLength(1);
    expect(await current.reasons()).toContain("SnapshotDeletePending: Snapshot is being used to restore a PVC");
    current.faults.clear();
    await current.clock.advance(2 * minute);
    expect(current.cloud.disks).toHaveLength(2);
    await current.bind("restored");
    await current.clock.advance(1_000);
    expect(await current.snapshot()).toBeUndefined();
    expect(current.cloud.snapshots).toEqual([]);
  });

  test("only through its content keeps both", async () => {
    const { current } = world;
    await current.startBound();
    await current.snapshotClass();
    await current.snapshotOf(ofClaim);
    const name = (await current.content())?.metadata.name ?? "";
    await current.client.delete(volumeSnapshotContents, { namespace: "", name });
    await current.clock.advance(minute);
    expect(await current.content()).toBeDefined();
    expect(current.cloud.snapshots).toHaveLength(1);
  });
});
