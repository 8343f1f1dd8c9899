import type { Random } from "@kintsugi/clock";
import type { Disk, Engine, EngineOperation } from "../disk/disk.ts";
import { engineDirectoryName, inspectDirectory } from "../level/data-directory.ts";
import { closeToOthers } from "../level/private-files.ts";
import { SystemDisk } from "../level/system-disk.ts";
import { type Base, baseKey, encodeBase } from "../log/base-record.ts";
import { digestOf, DigestSum, digestToHex } from "../log/digest.ts";
import { HeadFile } from "../log/head.ts";
import { StoreCorrupt } from "../store.ts";
import { readSnapshot, type SnapshotHeader, type SnapshotReader } from "./snapshot-format.ts";

/**
 * A client has never received a revision this far after the snapshot: at 10,000 writes a second
 * such a distance would take a day. So every resourceVersion of the lost history is older than the
 * new history's start, and is answered with 410.
 */
export const revisionJump = 1_000_000_000;
const batchRecordsMax = 1000;
const batchBytesMax = 4 * 2 ** 20;

export interface RestoredStore {
  clusterId: string;
  historyId: string;
  revision: number;
  objects: number;
}

export interface RestoreDeps {
  random: Random;
  snapshot: AsyncIterable<Uint8Array>;
}

/**
 * Restores a snapshot into a data directory, as the same cluster with a new history.
 * @throws StoreCorrupt when the directory is not empty or the snapshot is damaged; the directory
 * must not be used then.
 */
export async function restoreSnapshot(deps: RestoreDeps & { directory: string }): Promise<RestoredStore> {
  const restored = await restoreSnapshotOn(new SystemDisk(deps.directory), deps);
  await closeToOthers(deps.directory);
  return restored;
}

/** `restoreSnapshot` on any disk. */
export async function restoreSnapshotOn(disk: Disk, deps: RestoreDeps): Promise<RestoredStore> {
  const found = await inspectDirectory(disk);
  const names = await disk.list();
  if (found.head) throw new StoreCorrupt(`${disk.name} has a store already: restore into an empty directory`);
  if (names.includes(engineDirectoryName))
    throw new StoreCorrupt(`${disk.name} has an incomplete store of an interrupted restore: remove it first`);
  const reader = await readSnapshot(deps.snapshot);
  const engine = await disk.openEngine({ create: true });
  try {
    const historyId = deps.random.uuid();
    const revision = reader.header.revision + revisionJump;
    const base = await writeRecords(engine, reader, { historyId, revision });
    await createHead(disk, { header: reader.header, historyId, base });
    return { clusterId: reader.header.clusterId, historyId, revision, objects: base.count };
  } finally {
    await engine.close();
  }
}

async function writeRecords(
  engine: Engine,
  reader: SnapshotReader,
  history: { historyId: string; revision: number },
): Promise<Base> {
  const sum = new DigestSum();
  let count = 0;
  let batch: EngineOperation[] = [];
  let batchBytes = 0;
  for await (const { key, bytes, hash } of reader.records()) {
    sum.add(hash);
    count++;
    batch.push({ type: "put", key, value: bytes });
    batchBytes += bytes.length;
    if (batch.length < batchRecordsMax && batchBytes < batchBytesMax) continue;
    await engine.write(batch, { sync: true });
    batch = [];
    batchBytes = 0;
  }
  const hash = digestOf(Buffer.from(history.historyId, "utf8"));
  const base: Base = {
    floor: history.revision,
    historyStart: history.revision,
    hash,
    count,
    sum: sum.toDigest(),
    floors: new Map(),
  };
  await engine.write([...batch, { type: "put", key: baseKey(base.floor), value: encodeBase(base) }], { sync: true });
  return base;
}

/**
 * The last step: a directory without HEAD is rejected, so an incomplete restore is never mistaken
 * for a complete restore.
 */
async function createHead(
  disk: Disk,
  restored: { header: SnapshotHeader; historyId: string; base: Base },
): Promise<void> {
  const { header, historyId, base } = restored;
  const { clusterId } = header;
  const hash = digestToHex(base.hash);
  const file = await HeadFile.create(disk, { clusterId, historyId, revision: base.floor, hash, floor: base.floor });
  await file.close();
}
