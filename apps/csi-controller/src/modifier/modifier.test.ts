import { persistentVolumeClaims, volumeAttributesClasses, type VolumeAttributesClass } from "@kintsugi/api";
import { afterEach, expect, test } from "vitest";
import { driverName, StorageWorld } from "../testing/storage-world.ts";

const world = { current: new StorageWorld() };
afterEach(() => {
  world.current.stop();
  world.current = new StorageWorld();
});

const key = { namespace: "default", name: "data" };
const minute = 60_000;

async function aClass(name: string, parts: Partial<VolumeAttributesClass> = {}): Promise<void> {
  await world.current.put(volumeAttributesClasses, {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttributesClass",
    metadata: { name },
    driverName,
    parameters: { tier: name },
    ...parts,
  });
  await world.current.clock.advance(200);
}

async function changeTo(volumeAttributesClassName: string): Promise<void> {
  const { client, clock } = world.current;
  const claim = await client.get(persistentVolumeClaims, key);
  await client.update(persistentVolumeClaims, { ...claim, spec: { ...claim.spec, volumeAttributesClassName } });
  await clock.advance(200);
}

const status = async () => (await world.current.client.get(persistentVolumeClaims, key)).status;
const tier = () => world.current.cloud.disks[0]?.attributes?.["tier"];

test("a claim that names another class gets its attributes, with upstream's events", async () => {
  const { current } = world;
  await current.startBound();
  await aClass("gold");
  await changeTo("gold");
  expect(tier()).toBe("gold");
  expect((await current.volume())?.spec?.volumeAttributesClassName).toBe("gold");
  expect(await status()).toMatchObject({ currentVolumeAttributesClassName: "gold", conditions: [] });
  expect(await status()).not.toHaveProperty("modifyVolumeStatus");
  const reasons = await current.reasons();
  expect(reasons).toContain("VolumeModify: external resizer is modifying volume data with vac gold");
  expect(reasons).toContain("VolumeModifySuccessful: external resizer modified volume data with vac gold successfully");
});

test("a claim waits for a class that arrives later", async () => {
  const { current } = world;
  await current.startBound();
  await changeTo("gold");
  expect(await status()).toMatchObject({ modifyVolumeStatus: { status: "Pending" } });
  expect((await status())?.conditions).toBeUndefined();
  await aClass("gold");
  expect(tier()).toBe("gold");
  expect(await status()).toMatchObject({ currentVolumeAttributesClassName: "gold" });
});

test("a class that the driver rejects is infeasible and is rarely retried, and another class takes precedence", async () => {
  const { current } = world;
  await current.startBound();
  await aClass("wrong", { parameters: { unheard: "of" } });
  await changeTo("wrong");
  expect(await status()).toMatchObject({
    modifyVolumeStatus: { status: "Infeasible", targetVolumeAttributesClassName: "wrong" },
    conditions: [
      { type: "ModifyingVolume", status: "True" },
      {
        type: "ModifyVolumeError",
        status: "True",
        message: expect.stringMatching(
          /^ModifyVolume failed with error: rpc error: code = InvalidArgument desc = .*unheard/,
        ),
      },
    ],
  });
  await current.clock.advance(30 * minute);
  const failures = (await current.reasons()).filter((reason) => reason.startsWith("VolumeModifyFailed"));
  expect(failures).toHaveLength(1);
  await aClass("gold");
  await changeTo("gold");
  expect(tier()).toBe("gold");
  expect(await status()).toMatchObject({ currentVolumeAttributesClassName: "gold", conditions: [] });
});

test("a class of another driver is rejected without a call", async () => {
  const { current } = world;
  await current.startBound();
  await aClass("other", { driverName: "other.example.com", parameters: { tier: "other" } });
  await changeTo("other");
  expect(tier()).toBeUndefined();
  expect(await status()).toMatchObject({ modifyVolumeStatus: { status: "Infeasible" } });
});

test("a driver that was unreachable gets the last class once it returns", async () => {
  const { current } = world;
  await current.startBound();
  await aClass("silver");
  await aClass("gold");
  current.faults.set("controllerModifyVolume", { error: { code: "UNAVAILABLE", message: "away" } });
  await changeTo("silver");
  expect(await status()).toMatchObject({
    modifyVolumeStatus: { status: "InProgress", targetVolumeAttributesClassName: "silver" },
    conditions: [{ type: "ModifyingVolume" }, { type: "ModifyVolumeError" }],
  });
  await changeTo("gold");
  current.faults.clear();
  await current.clock.advance(10 * minute);
  expect(tier()).toBe("gold");
  expect((await current.volume())?.spec?.volumeAttributesClassName).toBe("gold");
  expect(await status()).toMatchObject({ currentVolumeAttributesClassName: "gold", conditions: [] });
});

test("a claim that returns to its earlier class after a lost response gets the attributes of that class", async () => {
  const { current } = world;
  await current.startBound();
  await aClass("silver");
  await aClass("gold");
  await changeTo("silver");
  current.faults.set("controllerModifyVolume", { losesAnswer: true });
  await changeTo("gold");
  expect(tier()).toBe("gold");
  await changeTo("silver");
  current.restart();
  await current.clock.advance(1_000);
  current.faults.clear();
  current.giveUp();
  await current.clock.advance(10 * minute);
  expect(tier()).toBe("silver");
  expect(await status()).toMatchObject({ currentVolumeAttributesClassName: "silver", conditions: [] });
  expect(await status()).not.toHaveProperty("modifyVolumeStatus");
});

test("a new volume has the attributes of its claim's class, and waits for the class", async () => {
  const { current } = world;
  await current.start();
  const claim = await current.claim();
  await current.client.delete(persistentVolumeClaims, key);
  await current.put(persistentVolumeClaims, {
    ...claim,
    metadata: { namespace: "default", name: "classy", annotations: claim.metadata.annotations },
    spec: { ...claim.spec, volumeAttributesClassName: "gold" },
  });
  await current.clock.advance(200);
  expect(current.cloud.disks.some(({ attributes }) => attributes !== undefined)).toBe(false);
  expect(await current.reasons()).toContainEqual(expect.stringContaining("error getting VolumeAttributesClass gold"));
  await aClass("gold");
  await current.clock.advance(minute);
  expect(current.cloud.disks.at(-1)?.attributes).toEqual({ tier: "gold" });
});
