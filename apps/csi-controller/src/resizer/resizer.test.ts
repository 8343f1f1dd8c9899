import { type PersistentVolumeClaim, persistentVolumeClaims } from "@kintsugi/api";
import { afterEach, expect, test } from "vitest";
import { StorageWorld } from "../testing/storage-world.ts";

const world = { current: new StorageWorld() };
afterEach(() => {
  world.current.stop();
  world.current = new StorageWorld();
});

const key = { namespace: "default", name: "data" };

/** The claim after the binder's work, with a request for more storage. */
async function growing(storage: string, volumeMode?: string): Promise<void> {
  const { current } = world;
  await current.start();
  await current.claim();
  const volumeName = (await current.volume())?.metadata.name ?? "";
  const claim = await current.client.get(persistentVolumeClaims, key);
  const spec = { ...claim.spec, volumeName, volumeMode, resources: { requests: { storage } } };
  const status = { phase: "Bound", capacity: { storage: "1Gi" } };
  await current.client.update(persistentVolumeClaims, { ...claim, spec, status } as PersistentVolumeClaim);
  await current.clock.advance(100);
}

test("a claim that requests more gets a larger disk, and waits for its node with upstream's conditions", async () => {
  const { current } = world;
  await growing("2Gi");
  expect(current.cloud.disks[0]?.capacityBytes).toBe(2 * 1024 ** 3);
  expect((await current.volume())?.spec?.capacity).toEqual({ storage: "2Gi" });
  expect((await current.client.get(persistentVolumeClaims, key)).status).toMatchObject({
    capacity: { storage: "1Gi" },
    allocatedResources: { storage: "2Gi" },
    allocatedResourceStatuses: { storage: "NodeResizePending" },
    conditions: [
      {
        type: "FileSystemResizePending",
        status: "True",
        message: "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
      },
    ],
  });
  const reasons = await current.reasons();
  expect(reasons).toContainEqual(expect.stringMatching(/^Resizing: External resizer is resizing volume pvc-/));
  expect(reasons).toContain("FileSystemResizeRequired: Require file system resize of volume on node");
});

test("a raw device grows with its disk", async () => {
  await growing("2Gi", "Block");
  const { status } = await world.current.client.get(persistentVolumeClaims, key);
  expect(status).toMatchObject({ capacity: { storage: "2Gi" }, allocatedResourceStatuses: {}, conditions: [] });
});

test("a lost response leaves one larger disk, and the claim continues", async () => {
  const { current } = world;
  current.faults.set("controllerExpandVolume", { losesAnswer: true });
  await growing("2Gi");
  const { status } = await current.client.get(persistentVolumeClaims, key);
  expect(status?.allocatedResourceStatuses).toEqual({ storage: "ControllerResizeInProgress" });
  expect(status?.conditions).toMatchObject([{ type: "Resizing", status: "True" }]);
  current.faults.clear();
  current.restart();
  await current.clock.advance(120_000);
  const later = await current.client.get(persistentVolumeClaims, key);
  expect(later.status?.allocatedResourceStatuses).toEqual({ storage: "NodeResizePending" });
  expect(current.cloud.disks).toHaveLength(1);
});

test("a size that the driver never provides is reported once, and another size is tried", async () => {
  const { current } = world;
  await growing("40Gi");
  const refused = await current.client.get(persistentVolumeClaims, key);
  expect(refused.status).toMatchObject({
    allocatedResourceStatuses: { storage: "ControllerResizeInfeasible" },
    conditions: [{ type: "ControllerResizeError", message: expect.stringContaining("code = OutOfRange") }],
  });
  await current.clock.advance(300_000);
  const failures = (await current.reasons()).filter((reason) => reason.startsWith("VolumeResizeFailed"));
  expect(failures).toHaveLength(1);
  const resources = { requests: { storage: "3Gi" } };
  await current.client.update(persistentVolumeClaims, { ...refused, spec: { ...refused.spec, resources } });
  await current.clock.advance(1_000);
  expect((await current.volume())?.spec?.capacity).toEqual({ storage: "3Gi" });
});
