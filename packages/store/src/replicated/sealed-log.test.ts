import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { ValueSealed } from "../store.ts";
import type { StoredValues } from "../stored-values.ts";
import { dataOf, putData } from "../testing/changes.ts";
import { SharedMemoryLog } from "../simulated/shared-memory-log.ts";
import { describeStoreContract } from "../testing/store-contract.ts";
import { ReplicatedStore } from "./replicated-store.ts";

/**
 * Seals by a key of one byte, prefixed by the byte itself; opens values sealed with any of the
 * keys.
 */
function sealedBy(...keys: number[]): StoredValues {
  const turn = (value: Uint8Array, key: number) => Buffer.from(value).map((byte) => byte ^ key);
  const [first = 0] = keys;
  return {
    seal: (_name, value) => Buffer.concat([Buffer.from([first]), turn(value, first)]),
    open: (_name, stored) => {
      const key = stored[0] ?? 0;
      if (!keys.includes(key)) throw new Error(`no key ${key}`);
      return { value: turn(stored.subarray(1), key), stale: key !== first };
    },
  };
}

describeStoreContract("ReplicatedStore on a sealed log", (deps, options) =>
  ReplicatedStore.open({ ...deps, log: new SharedMemoryLog(deps).connect(), values: sealedBy(7) }, options),
);

const pod = "core/pods/default/a";

function openBoth() {
  const clock = new VirtualClock();
  const random = new SeededRandom(3);
  const shared = new SharedMemoryLog({ clock, random });
  return {
    shared,
    open: (values: StoredValues | undefined) => ReplicatedStore.open({ log: shared.connect(), clock, random, values }),
  };
}

test("no plain value is in the log, and replicas with other first keys read it as stale", async () => {
  const { shared, open } = openBoth();
  const [old, renewed] = [await open(sealedBy(1, 2)), await open(sealedBy(2, 1))];
  await putData(old, pod, "content of the object");
  await renewed.fresh();
  const logged = shared.behind(0)?.flatMap(({ changes }) => changes.map(({ value }) => Buffer.from(value).toString()));
  expect([logged?.length, logged?.some((value) => value.includes("content"))]).toEqual([1, false]);
  expect([dataOf(renewed.find(pod)), renewed.find(pod)?.stale]).toEqual(["content of the object", true]);
  const started = await open(sealedBy(2, 1));
  expect([dataOf(started.find(pod)), started.find(pod)?.stale]).toEqual(["content of the object", true]);
  await putData(renewed, pod, "written anew");
  await started.fresh();
  expect([dataOf(started.find(pod)), started.find(pod)?.stale]).toEqual(["written anew", undefined]);
  await Promise.all([old, renewed, started].map((store) => store.close()));
});

test("a replica without the key exits with the name of the object", async () => {
  const { open } = openBoth();
  const [one, other] = [await open(sealedBy(1)), await open(sealedBy(2))];
  await putData(one, pod, 1);
  await expect(other.failed).rejects.toThrow("core/pods/default/a, at revision 1, cannot be read: no key 1");
  await Promise.all([one.close(), other.close()]);
});

test("a replica that starts without the key is rejected", async () => {
  const clock = new VirtualClock();
  const random = new SeededRandom(3);
  const shared = new SharedMemoryLog({ clock, random });
  const open = (values: StoredValues) => ReplicatedStore.open({ log: shared.connect(), clock, random, values });
  const one = await open(sealedBy(1));
  await putData(one, pod, 1);
  await clock.advance(400_000);
  await putData(one, "core/pods/default/b", 1);
  await clock.advance(400_000);
  await expect(open(sealedBy(2))).rejects.toThrow(ValueSealed);
  await one.close();
});
