import { csiDrivers, csiStorageCapacities, storageClasses } from "@kintsugi/api";
import { afterEach, expect, test } from "vitest";
import { driverName, StorageWorld, driverZoneLabel } from "../testing/storage-world.ts";

const world = { current: new StorageWorld() };
afterEach(() => {
  world.current.stop();
  world.current = new StorageWorld();
});

async function publishing(storageCapacity = true): Promise<void> {
  const { current } = world;
  await current.put(csiDrivers, {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIDriver",
    metadata: { name: driverName },
    spec: { storageCapacity },
  });
  await current.start();
  await current.clock.advance(500);
}

/** The published capacity, by zone. */
async function rooms(): Promise<Record<string, string | undefined>> {
  const { items } = await world.current.client.list(csiStorageCapacities);
  return Object.fromEntries(
    items.map(({ nodeTopology, capacity }) => [nodeTopology?.matchLabels?.[driverZoneLabel] ?? "", capacity]),
  );
}

async function sizes(): Promise<string[]> {
  return Object.values(await rooms())
    .map((size) => size ?? "")
    .toSorted((a, b) => a.localeCompare(b));
}

test("the capacity of each zone is published for each class of the driver, and follows its volumes", async () => {
  const { current } = world;
  await publishing();
  expect(await rooms()).toEqual({ "zone-1": "10Gi", "zone-2": "10Gi" });
  await current.claim();
  await current.clock.advance(500);
  expect(await sizes()).toEqual(["10Gi", "9Gi"]);
});

test("capacity that other programs use is detected within a minute", async () => {
  const { current } = world;
  await publishing();
  const capability = { mount: { fsType: "", mountFlags: [] }, accessMode: { mode: "SINGLE_NODE_WRITER" as const } };
  const capacityRange = { requiredBytes: 4 * 1024 ** 3, limitBytes: 0 };
  await current.cloud.controller.createVolume({ name: "other", volumeCapabilities: [capability], capacityRange });
  await current.clock.advance(61_000);
  expect(await sizes()).toEqual(["10Gi", "6Gi"]);
});

test("a class that no longer exists leaves no objects, and capacity that is not requested is not published", async () => {
  const { current } = world;
  await publishing();
  await current.client.delete(storageClasses, { namespace: "", name: "standard" });
  await current.clock.advance(1_000);
  expect(await rooms()).toEqual({});
});

test("a driver that does not publish its capacity has no objects", async () => {
  await publishing(false);
  expect(await rooms()).toEqual({});
});

test("an object that was changed or removed by hand is restored", async () => {
  const { current } = world;
  await publishing();
  const [first] = (await current.client.list(csiStorageCapacities)).items;
  await current.client.update(csiStorageCapacities, { ...first!, capacity: "1Ti" });
  await current.clock.advance(1_000);
  expect(await rooms()).toEqual({ "zone-1": "10Gi", "zone-2": "10Gi" });
});
