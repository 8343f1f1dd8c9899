import { type PersistentVolumeClaim, persistentVolumeClaims, persistentVolumes } from "@kintsugi/api";
import { afterEach, describe, expect, test } from "vitest";
import { StorageWorld } from "../testing/storage-world.ts";

const world = { current: new StorageWorld() };
afterEach(() => {
  world.current.stop();
  world.current = new StorageWorld();
});

const ofClaim = { persistentVolumeClaimName: "data" };
const minute = 60_000;

describe("a claim with a snapshot as its source", () => {
  async function ready(spec: Partial<NonNullable<PersistentVolumeClaim["spec"]>> = {}): Promise<void> {
    const { current } = world;
    await current.startBound();
    await current.snapshotClass();
    await current.snapshotOf(ofClaim);
    await current.restore("1Gi", spec);
  }

  test("gets a volume from the driver's snapshot", async () => {
    const { current } = world;
    await ready();
    expect(current.cloud.disks[1]).toMatchObject({ fromSnapshot: current.cloud.snapshots[0]?.id });
    expect((await current.client.list(persistentVolumes)).items).toHaveLength(2);
  });

  test.each([
    [
      "smaller than the snapshot",
      { resources: { requests: { storage: "1Mi" } } },
      "is less than the size 1073741824 for the source snapshot snap",
    ],
    ["of another mode", { volumeMode: "Block" }, "modifies the mode of the source volume but does not have permission"],
  ])("that is %s is rejected", async (_, spec, message) => {
    const { current } = world;
    await ready(spec);
    expect(current.cloud.disks).toHaveLength(1);
    expect(await current.reasons()).toContainEqual(
      expect.stringMatching(new RegExp(`^ProvisioningFailed: failed to provision volume .*${message}`)),
    );
  });

  test("waits for a snapshot that arrives later", async () => {
    const { current } = world;
    await current.startBound();
    await current.snapshotClass();
    await current.restore();
    expect(current.cloud.disks).toHaveLength(1);
    await current.snapshotOf(ofClaim);
    await current.clock.advance(3_000);
    expect(current.cloud.disks).toHaveLength(2);
  });

  test("that is deleted before the response leaves no disk, although the snapshot no longer exists either", async () => {
    const { current } = world;
    await current.startBound();
    await current.snapshotClass();
    await current.snapshotOf(ofClaim);
    current.faults.set("createVolume", { losesAnswer: true });
    await current.restore();
    expect(current.cloud.disks).toHaveLength(2);
    await current.client.delete(persistentVolumeClaims, { namespace: "default", name: "restored" });
    await current.deleteSnapshot();
    expect(current.cloud.snapshots).toEqual([]);
    current.faults.clear();
    current.giveUp();
    await current.clock.advance(5 * minute);
    expect(current.cloud.disks).toHaveLength(1);
  });

  test("of a populator is ignored", async () => {
    const { current } = world;
    await current.start();
    const dataSourceRef = { apiGroup: "example.com", kind: "Image", name: "i" };
    await current.restore("1Gi", { dataSource: undefined, dataSourceRef });
    expect(current.cloud.disks).toEqual([]);
  });
});
