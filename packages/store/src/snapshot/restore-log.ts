import type { Clock, Random } from "@kintsugi/clock";
import type { ReplicatedLog } from "../replicated/replicated-log.ts";
import type { Entry } from "../store.ts";
import { type RestoredStore, revisionJump } from "./restore-snapshot.ts";
import { readSnapshot, type SnapshotReader } from "./snapshot-format.ts";

export interface RestoreLogDeps {
  /** An empty log, with the values as in the snapshot, sealed or not. */
  log: Pick<ReplicatedLog, "fill">;
  clock: Clock;
  random: Random;
  snapshot: AsyncIterable<Uint8Array>;
}

/** Number of objects in a page that is passed to the log. */
const pageLength = 500;

/**
 * Restores a snapshot into an empty log that replicas share, as the same cluster with a new
 * history.
 * @throws StoreCorrupt when the snapshot is damaged, Error when the log is not empty,
 * LogUnreachable; the log must not be used then.
 */
export async function restoreSnapshotToLog({ log, clock, random, snapshot }: RestoreLogDeps): Promise<RestoredStore> {
  const reader = await readSnapshot(snapshot);
  const { clusterId, count } = reader.header;
  const [historyId, nonce] = [random.uuid(), random.uuid()];
  const revision = reader.header.revision + revisionJump;
  const head = { clusterId, historyId, historyStart: revision, revision, nonce };
  await log.fill(head, { atMs: clock.nowMs(), revision, lastRevisions: {} }, pagesOf(reader));
  return { clusterId, historyId, revision, objects: count };
}

async function* pagesOf(reader: SnapshotReader): AsyncGenerator<readonly Entry[]> {
  let page: Entry[] = [];
  for await (const { record } of reader.records()) {
    const { key, revision, value, index } = record;
    page.push({ key, revision, value, index });
    if (page.length < pageLength) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
