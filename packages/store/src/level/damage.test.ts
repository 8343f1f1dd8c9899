import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { beforeEach, describe, expect, test } from "vitest";
import { OutcomeUnknown, StoreCorrupt } from "../store.ts";
import { dataOf, deleteKey, putData } from "../testing/changes.ts";
import { SimulatedDisk } from "../simulated/simulated-disk.ts";
import { Arena } from "../log/arena.ts";
import { decodeRecord, encodeRecord } from "../log/record.ts";
import { LevelStore } from "./level-store.ts";

const clock = new VirtualClock();
let disk: SimulatedDisk;

function reopen(): Promise<LevelStore> {
  return LevelStore.openOn(disk, { clock, random: new SeededRandom(9) }, { windowMs: 1000, windowEventsMin: 0 });
}

async function opens(): Promise<boolean> {
  const error = await reopen().catch((reason: unknown) => reason);
  return !(error instanceof StoreCorrupt);
}

/**
 * Eight revisions, compacted up to 4. Of these, 2 and its tombstone 4 no longer exist, and 1 is
 * superseded only by 5.
 */
async function prepare(): Promise<void> {
  disk = new SimulatedDisk({ random: new SeededRandom(1) });
  const store = await reopen();
  await putData(store, "core/pods/default/a", "a1");
  await putData(store, "core/pods/default/b", "b2");
  await putData(store, "core/pods/default/keep", "k3");
  await deleteKey(store, "core/pods/default/b");
  await clock.advance(2000);
  await putData(store, "core/pods/default/a", "a5");
  await putData(store, "core/pods/default/c", "c6");
  await store.compact();
  await putData(store, "core/pods/default/c", "c7");
  await deleteKey(store, "core/pods/default/c");
  await store.close();
}

beforeEach(prepare);

const key = (revision: number) => `rev/${String(revision).padStart(16, "0")}`;

function flipBit(bytes: Buffer | undefined, bit: number): void {
  if (!bytes) throw new Error("there is nothing to damage");
  const at = bit >>> 3;
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
}

describe("damage to the data on disk is detected when the store is opened", () => {
  test("the layout equals its documentation", () => {
    expect([...disk.records.keys()].sort()).toEqual(["base/0000000000000004", ...[1, 3, 5, 6, 7, 8].map(key)]);
    expect(disk.files.get("HEAD")?.toString("latin1")).toMatch(
      /^kintsugi-store 1 \{"clusterId":"[0-9a-f-]{36}".*\} [0-9a-f]{32}\n/,
    );
  });

  test("an undamaged store opens", async () => {
    const store = await reopen();
    expect(store.list("").entries.map(dataOf)).toEqual(["a5", "k3"]);
  });

  test("any flipped bit of any record is detected, and the record is named", async () => {
    const missed: string[] = [];
    for (const [name, bytes] of disk.records) {
      const bits = bytes.length * 8;
      for (let bit = 0; bit < bits; bit += 1 + Math.floor(bits / 97)) {
        flipBit(bytes, bit);
        const error = await reopen().catch((reason: unknown) => reason);
        if (!(error instanceof StoreCorrupt && error.message.includes(name))) missed.push(`${name} bit ${bit}`);
        flipBit(bytes, bit);
      }
    }
    expect(missed).toEqual([]);
  });

  test("a missing record is detected, wherever it was", async () => {
    const accepted: string[] = [];
    for (const [name, bytes] of new Map(disk.records)) {
      disk.records.delete(name);
      if (await opens()) accepted.push(name);
      disk.records.set(name, bytes);
    }
    expect(accepted).toEqual([]);
  });

  test("a record in the place of another record is detected", async () => {
    disk.records.set(key(3), disk.records.get(key(5)) ?? Buffer.alloc(0));
    await expect(reopen()).rejects.toThrow("rev/0000000000000003 holds revision 5");
  });

  test("a deleted record that returned is detected", async () => {
    const other = new SimulatedDisk({ random: new SeededRandom(1) });
    const store = await LevelStore.openOn(other, { clock, random: new SeededRandom(9) });
    for (const data of ["a1", "b2"]) await putData(store, `core/pods/default/${data[0]}`, data);
    disk.records.set(key(2), other.records.get(key(2)) ?? Buffer.alloc(0));
    await expect(reopen()).rejects.toThrow(
      "base/0000000000000004 states that 2 records remain up to it, of which 3 exist",
    );
  });

  test("a log from another store is detected", async () => {
    const other = new SimulatedDisk({ random: new SeededRandom(1) });
    const store = await LevelStore.openOn(other, { clock, random: new SeededRandom(10) });
    for (let i = 0; i < 8; i++) await putData(store, "core/pods/default/a", i);
    disk.records.clear();
    for (const [name, bytes] of other.records) disk.records.set(name, bytes);
    await expect(reopen()).rejects.toThrow(StoreCorrupt);
  });

  test("a record of another history in the middle is detected by the chain", async () => {
    const other = new SimulatedDisk({ random: new SeededRandom(1) });
    const store = await LevelStore.openOn(other, { clock, random: new SeededRandom(9) });
    for (let i = 1; i <= 6; i++) await putData(store, "core/pods/default/c", i);
    disk.records.set(key(6), other.records.get(key(6)) ?? Buffer.alloc(0));
    await expect(reopen()).rejects.toThrow("rev/0000000000000006 does not follow the record before it");
  });

  test.each([
    ["a record without a preceding record of its key", "put", "core/pods/default/a", 3],
    ["a record that creates an existing object", "put", "core/pods/default/a", 0],
    ["a tombstone of a missing object", "delete", "core/pods/default/none", 2],
  ] as const)("%s is detected, although its chain is intact", async (_, type, objectKey, previousOfKey) => {
    const last = decodeRecord(key(8), disk.records.get(key(8)) ?? Buffer.alloc(0));
    const forged = { ...last.record, type, revision: 9, previousHash: last.hash, key: objectKey, previousOfKey };
    disk.records.set(key(9), Buffer.from(encodeRecord(forged, new Arena()).bytes));
    await expect(reopen()).rejects.toThrow("rev/0000000000000009 does not follow the last record of its key");
  });

  test("records ahead of HEAD are included in HEAD from then on", async () => {
    const head = Buffer.from(disk.files.get("HEAD") ?? []);
    const store = await reopen();
    await putData(store, "core/pods/default/ahead", 9);
    await store.close();
    disk.files.set("HEAD", head);
    disk = disk.afterKill();
    await reopen().then((opened) => opened.close());
    disk.records.delete(key(9));
    await expect(reopen()).rejects.toThrow("before rev/0000000000000009, which was acknowledged");
  });

  test("a log without its end is rejected with the expected end", async () => {
    disk.records.delete(key(8));
    await expect(reopen()).rejects.toThrow("the log ends at rev/0000000000000007, before rev/0000000000000008");
  });

  test("a log without a HEAD and a HEAD without a log are rejected", async () => {
    const head = disk.files.get("HEAD") ?? Buffer.alloc(0);
    disk.files.delete("HEAD");
    await expect(reopen()).rejects.toThrow("no HEAD");
    disk = new SimulatedDisk({ random: new SeededRandom(1) }, { files: new Map([["HEAD", head]]), records: undefined });
    await expect(reopen()).rejects.toThrow("the log is lost");
  });

  test.each([
    ["the first", [40]],
    ["the second", [4096 + 40]],
  ])("when %s slot of HEAD is damaged, the other slot is used", async (_, damaged) => {
    for (const at of damaged) flipBit(disk.files.get("HEAD"), 8 * at);
    const store = await reopen();
    expect(store.revision()).toBe(8);
  });

  test("a HEAD with both slots damaged is rejected", async () => {
    for (const at of [40, 4096 + 40]) flipBit(disk.files.get("HEAD"), 8 * at);
    await expect(reopen()).rejects.toThrow("the file HEAD is damaged in both its slots");
  });

  test("a directory with foreign files is not changed", async () => {
    disk = new SimulatedDisk(
      { random: new SeededRandom(1) },
      { files: new Map([["thesis.tex", Buffer.from("precious")]]), records: undefined },
    );
    await expect(reopen()).rejects.toThrow("is neither empty nor a Kintsugi store: it contains thesis.tex");
    expect([...disk.files.keys()]).toEqual(["thesis.tex"]);
  });
});

describe("damage while the store is open is detected by scrubbing", () => {
  test("an undamaged store is read completely, in parallel with writes", async () => {
    const store = await reopen();
    const [{ records }] = await Promise.all([store.scrub(), putData(store, "core/pods/default/d", 1)]);
    expect(records).toBe(6);
  });

  test.each([
    ["flipped", () => flipBit(disk.records.get(key(6)), 300), "rev/0000000000000006 does not match its checksum"],
    ["lost", () => disk.records.delete(key(6)), "are 5, not 6"],
  ])("a record that was %s is named", async (_, damage, because) => {
    const store = await reopen();
    damage();
    await expect(store.scrub()).rejects.toThrow(because);
    // The store then stops writing, and the waiters for the failure receive it.
    await expect(store.failed).rejects.toThrow(because);
    await expect(putData(store, "core/pods/default/d", 1)).rejects.toThrow(OutcomeUnknown);
  });
});
