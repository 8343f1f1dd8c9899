import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { OutcomeUnknown, StoreCorrupt } from "../store.ts";
import { dataOf, deleteKey, putData } from "../testing/changes.ts";
import { SimulatedDisk, type UnsyncedFate } from "../simulated/simulated-disk.ts";
import { LevelStore } from "./level-store.ts";

const options = { windowMs: 1000, windowEventsMin: 0, ballastBytes: 0 };

function openOn(disk: SimulatedDisk, clock = new VirtualClock()): Promise<LevelStore> {
  return LevelStore.openOn(disk, { clock, random: new SeededRandom(5) }, options);
}

/** The clients' view: their requests and the answers to them. */
interface Journal {
  /** Acknowledged writes by revision: key and data; `undefined` for a delete. */
  readonly acknowledged: Map<number, { key: string; data: unknown }>;
  /** All data ever sent, with its key. */
  readonly asked: Set<string>;
}

function newJournal(): Journal {
  return { acknowledged: new Map(), asked: new Set() };
}

/**
 * Three writers over five keys, with deletes, and two compactions in between. It ends early when
 * the power fails.
 */
async function work(disk: SimulatedDisk, journal: Journal): Promise<void> {
  const clock = new VirtualClock();
  const store = await openOn(disk, clock);
  const write = async (key: string, data: string) => {
    journal.asked.add(`${key} ${data}`);
    const { revision } = await putData(store, key, data);
    journal.acknowledged.set(revision, { key, data });
  };
  const remove = async (key: string) => {
    const { revision } = await deleteKey(store, key);
    journal.acknowledged.set(revision, { key, data: undefined });
  };
  const writer = async (name: string) => {
    for (let i = 0; i < 4; i++) await write(`core/pods/default/${i % 2}`, `${name}-${i}`);
  };
  await Promise.all([writer("a"), writer("b"), write("core/nodes/_/n", "n")]);
  await remove("core/pods/default/1");
  await clock.advance(2000);
  await Promise.all([store.compact(), writer("c")]);
  await clock.advance(2000);
  await store.compact();
  await write("core/pods/default/last", "end");
  await store.close();
}

/**
 * Every acknowledged write is present or was replaced by a later write that a client requested. No
 * other data is present.
 */
async function assertIntact(disk: SimulatedDisk, journal: Journal): Promise<void> {
  const store = await openOn(disk);
  const newest = Math.max(0, ...journal.acknowledged.keys());
  expect(store.revision()).toBeGreaterThanOrEqual(newest);
  const lastOf = new Map<string, { revision: number; data: unknown }>();
  for (const [revision, { key, data }] of [...journal.acknowledged].sort(([a], [b]) => a - b)) {
    lastOf.set(key, { revision, data });
  }
  for (const [key, { revision, data }] of lastOf) {
    const entry = store.find(key);
    const expected = data === undefined ? undefined : [revision, data];
    const replaced = entry ? entry.revision > revision : store.revision() > newest;
    expect(replaced ? expected : entry && [entry.revision, dataOf(entry)]).toEqual(expected);
  }
  for (const entry of store.list("").entries)
    expect(journal.asked).toContain(`${entry.key} ${dataOf(entry) as string}`);
  const { revision } = await putData(store, "core/pods/default/after", "after");
  expect(revision).toBe(store.revision());
  expect(revision).toBeGreaterThan(newest);
  await store.close();
}

async function stepsOf(run: (disk: SimulatedDisk) => Promise<void>): Promise<number> {
  const disk = new SimulatedDisk({ random: new SeededRandom(1) });
  await run(disk);
  return disk.steps;
}

const fates: UnsyncedFate[] = ["lost", "kept", "torn"];

test.each(fates)("no acknowledged write is lost when the power fails at any step (unsynced bytes %s)", async (fate) => {
  const steps = await stepsOf((disk) => work(disk, newJournal()));
  expect(steps).toBeGreaterThan(60);
  for (let step = 1; step <= steps; step++) {
    const disk = new SimulatedDisk({ random: new SeededRandom(step) });
    disk.cutPowerAt(step);
    const journal = newJournal();
    await Promise.race([work(disk, journal), disk.powerLost]);
    await assertIntact(disk.restart(fate), journal);
  }
});

test("nothing is lost when the power fails again while the store is opening", async () => {
  const journal = newJournal();
  const disk = new SimulatedDisk({ random: new SeededRandom(1) });
  disk.cutPowerAt(30);
  await Promise.race([work(disk, journal), disk.powerLost]);
  const opening = disk.restart("kept");
  await openOn(opening);
  for (let step = 1; step <= opening.steps; step++) {
    for (const fate of fates) {
      const again = disk.restart("kept");
      again.cutPowerAt(step);
      await Promise.race([openOn(again), again.powerLost]);
      await assertIntact(again.restart(fate), journal);
    }
  }
});

test("a killed process loses nothing, at whatever step it is killed", async () => {
  const steps = await stepsOf((disk) => work(disk, newJournal()));
  for (let step = 1; step <= steps; step++) {
    const disk = new SimulatedDisk({ random: new SeededRandom(1) });
    disk.cutPowerAt(step);
    const journal = newJournal();
    await Promise.race([work(disk, journal), disk.powerLost]);
    await assertIntact(disk.afterKill(), journal);
  }
});

test("after a failing disk the outcome is unknown, no more writes are accepted, and a restart reuses no revision", async () => {
  const dry = new SimulatedDisk({ random: new SeededRandom(1) });
  const store = await openOn(dry);
  const opened = dry.steps;
  await putData(store, "core/pods/default/a", 1);
  const perWrite = dry.steps - opened;
  for (let step = opened + 1; step <= opened + perWrite; step++) {
    const disk = new SimulatedDisk({ random: new SeededRandom(1) });
    disk.failAt(step, new Error("EIO: i/o error"));
    const failing = await openOn(disk);
    await expect(putData(failing, "core/pods/default/a", 1)).rejects.toThrow(OutcomeUnknown);
    await expect(failing.failed).rejects.toThrow("EIO");
    await expect(putData(failing, "core/pods/default/a", 2)).rejects.toThrow(OutcomeUnknown);
    expect(failing.find("core/pods/default/a")).toBeUndefined();
    const reopened = await openOn(disk.afterKill());
    const found = reopened.find("core/pods/default/a");
    expect(dataOf(found) ?? 1).toBe(1);
    const { revision } = await putData(reopened, "core/pods/default/b", 1);
    expect(revision).toBe(found ? 2 : 1);
    await reopened.close();
  }
});

test("a failing compaction ends the store, and nothing is lost", async () => {
  const clock = new VirtualClock();
  const disk = new SimulatedDisk({ random: new SeededRandom(1) });
  const store = await openOn(disk, clock);
  for (let i = 0; i < 3; i++) await putData(store, "core/pods/default/a", i);
  await clock.advance(2000);
  disk.failAt(disk.steps + 2, new Error("EIO: i/o error"));
  await expect(store.compact()).rejects.toThrow(OutcomeUnknown);
  await expect(putData(store, "core/pods/default/a", 4)).rejects.toThrow(OutcomeUnknown);
  const reopened = await openOn(disk.afterKill());
  expect(dataOf(reopened.find("core/pods/default/a"))).toBe(2);
});

test("a disk that does not sync the log although it reports so is detected after a loss of power", async () => {
  const disk = new SimulatedDisk({ random: new SeededRandom(1) });
  const store = await openOn(disk);
  await putData(store, "core/pods/default/a", 1);
  disk.lyingAbout = "engine";
  await putData(store, "core/pods/default/a", 2);
  const opening = openOn(disk.restart("lost"));
  await expect(opening).rejects.toThrow(StoreCorrupt);
  await expect(opening).rejects.toThrow("before rev/0000000000000002, which was acknowledged");
});

test("a stale HEAD is harmless because the log is ahead of it and complete", async () => {
  const disk = new SimulatedDisk({ random: new SeededRandom(1) });
  const store = await openOn(disk);
  disk.lyingAbout = "files";
  for (let i = 0; i < 3; i++) await putData(store, "core/pods/default/a", i);
  const reopened = await openOn(disk.restart("lost"));
  expect([reopened.revision(), dataOf(reopened.find("core/pods/default/a"))]).toEqual([3, 2]);
});
