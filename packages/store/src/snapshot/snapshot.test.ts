import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { LevelStore } from "../level/level-store.ts";
import { RevisionExpired, StoreCorrupt } from "../store.ts";
import { dataOf, deleteKey, putData } from "../testing/changes.ts";
import { SimulatedDisk } from "../simulated/simulated-disk.ts";
import { inspectSnapshot } from "./inspect-snapshot.ts";
import { restoreSnapshotOn } from "./restore-snapshot.ts";
import { exportSnapshot } from "./snapshot-format.ts";

const newDisk = () => new SimulatedDisk({ random: new SeededRandom(1) });
const openOn = (disk: SimulatedDisk) =>
  LevelStore.openOn(disk, { clock: new VirtualClock(), random: new SeededRandom(3) });

async function aStore(objects: number): Promise<LevelStore> {
  const store = await openOn(newDisk());
  for (let i = 0; i < objects; i++) await putData(store, `core/pods/default/${i}`, `data of ${i} ${"x".repeat(3000)}`);
  await putData(store, "core/nodes/_/gone", 1);
  await deleteKey(store, "core/nodes/_/gone");
  return store;
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

async function* inPieces(bytes: Buffer, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

function restore(disk: SimulatedDisk, bytes: Buffer, pieceBytes = 1000) {
  return restoreSnapshotOn(disk, { random: new SeededRandom(77), snapshot: inPieces(bytes, pieceBytes) });
}

test("a restored store has the same objects, in a new history that starts far after the old one", async () => {
  const original = await aStore(50);
  const disk = newDisk();
  const result = await restore(disk, await collect(exportSnapshot(original)));
  const restored = await openOn(disk);
  expect(restored.list("").entries).toEqual(original.list("").entries);
  expect(restored.clusterId).toBe(original.clusterId);
  expect(restored.historyId).not.toBe(original.historyId);
  expect(result).toEqual({
    clusterId: original.clusterId,
    historyId: restored.historyId,
    revision: original.revision() + 1_000_000_000,
    objects: 50,
  });
  expect(restored.revision()).toBe(result.revision);
});

test("old resourceVersions are expired for every resource, and new versions continue, even after reopening", async () => {
  const original = await aStore(3);
  const disk = newDisk();
  await restore(disk, await collect(exportSnapshot(original)));
  let store = await openOn(disk);
  const start = store.revision();
  const check = () => {
    for (const resource of ["core/pods", "core/nodes", "apps/replicasets"]) {
      expect(() => store.changesSince(resource, start - 1)).toThrow(RevisionExpired);
      expect(() => store.list(`${resource}/`, { revision: 3 })).toThrow(RevisionExpired);
    }
  };
  check();
  expect(store.lastRevisionOf("apps/replicasets")).toBe(start);
  const { revision } = await putData(store, "core/pods/default/1", "new");
  expect(revision).toBe(start + 1);
  await store.close();
  store = await openOn(disk);
  check();
  expect(store.changesSince("core/pods", start).map((change) => change.previousOfResource)).toEqual([start]);
  expect(dataOf(store.find("core/pods/default/1"))).toBe("new");
});

test("a snapshot shows one revision, whatever is written while it is read", async () => {
  const original = await aStore(60);
  const chunks = exportSnapshot(original);
  const first = await chunks.next();
  await putData(original, "core/pods/default/59", "too late");
  await deleteKey(original, "core/pods/default/58");
  const bytes = Buffer.concat([first.value as Uint8Array, await collect(chunks)]);
  const disk = newDisk();
  await restore(disk, bytes);
  const restored = await openOn(disk);
  expect(restored.count("core/pods/")).toBe(60);
  expect(String(dataOf(restored.find("core/pods/default/59")))).toMatch(/^data of 59 /);
});

test("a snapshot that is read whole equals a snapshot that is read byte by byte", async () => {
  const bytes = await collect(exportSnapshot(await aStore(2)));
  for (const pieceBytes of [1, bytes.length]) {
    const disk = newDisk();
    expect((await restore(disk, bytes, pieceBytes)).objects).toBe(2);
  }
});

test("a damaged or truncated snapshot is rejected, and its partial restore is not treated as a store", async () => {
  const bytes = await collect(exportSnapshot(await aStore(3)));
  const damages: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 97) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 0x10;
    damages.push(damaged, bytes.subarray(0, at));
  }
  const accepted: number[] = [];
  for (const [i, damaged] of damages.entries()) {
    const disk = newDisk();
    const error = await restore(disk, damaged).catch((reason: unknown) => reason);
    if (!(error instanceof StoreCorrupt)) accepted.push(i);
    expect(disk.files.has("HEAD")).toBe(false);
  }
  expect(accepted).toEqual([]);
});

test("a damaged record is named, and a partial restore is not reused", async () => {
  const bytes = await collect(exportSnapshot(await aStore(3)));
  const second = bytes.indexOf("data of 1");
  bytes[second] = 0;
  await expect(inspectSnapshot(inPieces(bytes, 500))).rejects.toThrow(
    /damaged in record 2 of 3, rev\/0{15}2: use another/,
  );
  const disk = newDisk();
  await expect(restore(disk, bytes)).rejects.toThrow("record 2 of 3");
  await expect(restore(disk, bytes)).rejects.toThrow("has an incomplete store");
});

test("a snapshot reports its contents", async () => {
  const original = await aStore(3);
  const bytes = await collect(exportSnapshot(original));
  const { clusterId, historyId } = original;
  expect(await inspectSnapshot(inPieces(bytes, 500))).toEqual({
    clusterId,
    historyId,
    revision: original.revision(),
    count: 3,
    byteLength: bytes.length,
    resources: new Map([["core/pods", 3]]),
  });
});

test("a directory with an existing store is not restored into", async () => {
  const bytes = await collect(exportSnapshot(await aStore(1)));
  const disk = newDisk();
  await restore(disk, bytes);
  await expect(restore(disk, bytes)).rejects.toThrow("restore into an empty directory");
});
