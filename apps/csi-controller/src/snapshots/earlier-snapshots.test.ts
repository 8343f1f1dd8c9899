import { volumeSnapshotContents } from "@kintsugi/api";
import { afterEach, describe, expect, test } from "vitest";
import { driverName, StorageWorld } from "../testing/storage-world.ts";

const world = { current: new StorageWorld() };
afterEach(() => {
  world.current.stop();
  world.current = new StorageWorld();
});

describe("an existing snapshot", () => {
  const aContent = (spec: object) => ({
    apiVersion: "snapshot.storage.k8s.io/v1",
    kind: "VolumeSnapshotContent",
    metadata: { name: "before" },
    spec: {
      deletionPolicy: "Retain" as const,
      driver: driverName,
      source: {},
      volumeSnapshotRef: { namespace: "default", name: "snap" },
      ...spec,
    },
  });

  async function takenBefore(): Promise<string> {
    const { current } = world;
    await current.startBound();
    const sourceVolumeId = current.cloud.disks[0]?.id ?? "";
    const { snapshot } = await current.cloud.controller.createSnapshot({ name: "old", sourceVolumeId });
    return snapshot?.snapshotId ?? "";
  }

  test("is bound to the content that names it, with the values that the driver lists", async () => {
    const { current } = world;
    const snapshotHandle = await takenBefore();
    await current.snapshotOf({ volumeSnapshotContentName: "before" });
    expect((await current.snapshot())?.status?.error?.message).toBe("VolumeSnapshotContent is missing");
    await current.put(volumeSnapshotContents, aContent({ source: { snapshotHandle } }));
    await current.clock.advance(500);
    const snapshot = await current.snapshot();
    expect(snapshot?.status).toMatchObject({
      boundVolumeSnapshotContentName: "before",
      readyToUse: true,
      restoreSize: "1Gi",
    });
    expect(snapshot?.status).not.toHaveProperty("error");
    expect((await current.content())?.spec.volumeSnapshotRef.uid).toBe(snapshot?.metadata.uid);
    await current.restore();
    expect(current.cloud.disks[1]).toMatchObject({ fromSnapshot: snapshotHandle });
    await current.bind("restored");
    await current.deleteSnapshot();
    expect(await current.snapshot()).toBeUndefined();
    expect(current.cloud.snapshots).toHaveLength(1);
  });

  test.each([
    ["of another snapshot", { volumeSnapshotRef: { namespace: "default", name: "other" } }, "SnapshotContentMisbound"],
    [
      "of an earlier snapshot of that name",
      { volumeSnapshotRef: { namespace: "default", name: "snap", uid: "before" } },
      "SnapshotContentMisbound",
    ],
    ["that is to be created", { source: { volumeHandle: "vol" } }, "SnapshotContentMismatch"],
  ])("is not bound to a content %s", async (_, parts, reason) => {
    const { current } = world;
    const snapshotHandle = await takenBefore();
    await current.put(volumeSnapshotContents, aContent({ source: { snapshotHandle }, ...parts }));
    await current.snapshotOf({ volumeSnapshotContentName: "before" });
    expect((await current.snapshot())?.status).toMatchObject({ readyToUse: false });
    expect(await current.reasons()).toContainEqual(expect.stringMatching(new RegExp(`^${reason}: `)));
  });

  test("that the driver does not have is reported", async () => {
    const { current } = world;
    await takenBefore();
    await current.put(volumeSnapshotContents, aContent({ source: { snapshotHandle: "none" } }));
    await current.snapshotOf({ volumeSnapshotContentName: "before" });
    await current.clock.advance(1_000);
    expect((await current.snapshot())?.status?.error?.message).toContain("can not find snapshot for snapshotID none");
  });
});
