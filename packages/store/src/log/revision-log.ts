import { Mutex } from "@kintsugi/clock";
import { strict as assert } from "node:assert";
import type { AppendOutcome } from "../commit/committer.ts";
import type { StoreLog } from "../commit/logged-store.ts";
import type { Ballast } from "../disk/ballast.ts";
import type { Disk, Engine, EngineOperation } from "../disk/disk.ts";
import type { CommittedChange, CompactionResult, ScrubResult } from "../store.ts";
import type { StoredValues } from "../stored-values.ts";
import { Arena } from "./arena.ts";
import { baseKey, encodeBase } from "./base-record.ts";
import { type Digest, digestFromHex, digestToHex } from "./digest.ts";
import type { Head, HeadFile } from "./head.ts";
import type { Ledger } from "./ledger.ts";
import { checkRecord, corrupt, encodeRecord, type LogRecord, recordKey, recordKeysEnd } from "./record.ts";

export interface RevisionLogDeps {
  disk: Disk;
  engine: Engine;
  headFile: HeadFile;
  ledger: Ledger;
  ballast: Ballast;
  values: StoredValues;
}

export interface RevisionLogOptions {
  /** Free disk space below which only important writes are accepted. */
  freeBytesMin: number;
}

/**
 * Number of records in a page that scrubbing reads in one step. The writers wait for at most one
 * page.
 */
const pageRecordsMax = 1000;

// The life of a batch on disk:
//
//   engine.write(rev/…, synced) ─► HEAD (other slot, synced) ─► acknowledged
//        crash here: the log is ahead of HEAD, which is allowed; clients have no answer
//
// Compaction uses the same mutex, so that at most one write is in flight and pages are not read
// during it.

/** The append-only log in the engine, together with HEAD. */
export class RevisionLog implements StoreLog {
  readonly #deps: RevisionLogDeps;
  readonly #options: RevisionLogOptions;
  readonly #turns = new Mutex();
  /** Compaction and scrubbing exclude each other for their whole duration. */
  readonly #maintenance = new Mutex();
  readonly #arena = new Arena();
  #head: Head;

  constructor(deps: RevisionLogDeps, options: RevisionLogOptions & { head: Head }) {
    this.#deps = deps;
    this.#options = options;
    this.#head = options.head;
  }

  append(changes: readonly CommittedChange[]): Promise<AppendOutcome> {
    return this.#turns.run(async (): Promise<AppendOutcome> => {
      const { engine, ledger, values } = this.#deps;
      let { revision } = this.#head;
      let hash = digestFromHex(this.#head.hash);
      const operations: EngineOperation[] = [];
      const hashes: Digest[] = [];
      for (const change of changes) {
        assert(change.revision === revision + 1, `revision ${change.revision} does not follow ${revision}`);
        const encoded = encodeRecord(recordOf(change, hash, values), this.#arena);
        operations.push({ type: "put", key: recordKey(change.revision), value: encoded.bytes });
        ({ revision } = change);
        ({ hash } = encoded);
        hashes.push(hash);
      }
      const written = engine.write(operations, { sync: true });
      // The engine has copied the records.
      this.#arena.reset();
      await written;
      await this.#writeHead({ ...this.#head, revision, hash: digestToHex(hash) });
      for (const [i, change] of changes.entries()) {
        const { type, revision: at, resource, before } = change;
        ledger.add({ type, revision: at, resource, previousOfKey: before?.revision ?? 0 }, hashes[i] ?? "");
      }
      // The directory has one writer, so another writer cannot be first.
      return "appended";
    });
  }

  isFull(): boolean {
    return this.#deps.disk.freeBytes() < this.#options.freeBytesMin;
  }

  compact(target: number): Promise<CompactionResult> {
    return this.#maintenance.run(async () => {
      const { engine, ledger, ballast } = this.#deps;
      if (this.isFull()) await ballast.release();
      let removed = 0;
      for (let step = await this.#compactStep(target); step > 0; step = await this.#compactStep(target))
        removed += step;
      const { floor } = ledger.base;
      if (removed > 0) await engine.compactRange({ from: recordKey(0), to: recordKey(floor + 1) });
      await ballast.ensure();
      return { floor, removed };
    });
  }

  /**
   * Reads every record again and compares it with the written record.
   * @throws StoreCorrupt naming the first record that differs.
   */
  scrub(): Promise<ScrubResult> {
    return this.#maintenance.run(async () => {
      const { ledger } = this.#deps;
      const expected = await this.#turns.run(async () => ({ records: ledger.size, revision: this.#head.revision }));
      const end = recordKey(expected.revision + 1);
      let records = 0;
      for (let from = recordKey(0); ;) {
        const page = await this.#turns.run(() => this.#deps.engine.readPage({ from, to: end }, pageRecordsMax));
        for (const { key, value } of page) this.#checkRecord(key, value);
        records += page.length;
        const last = page.at(-1);
        if (!last) break;
        from = `${last.key}\0`;
      }
      if (records !== expected.records)
        throw corrupt(recordKey(0), `and those behind it are ${records}, not ${expected.records}`);
      return { records };
    });
  }

  async close(): Promise<void> {
    await this.#deps.ballast.settle();
    await this.#turns.run(async () => {
      await this.#deps.engine.close();
      await this.#deps.headFile.close();
    });
  }

  /** One batch of deletes, with the number of removed records. */
  #compactStep(target: number): Promise<number> {
    return this.#turns.run(async () => {
      const { engine, ledger } = this.#deps;
      const step = ledger.planStep(target);
      if (!step) return 0;
      const operations: EngineOperation[] = step.removed.map((revision) => ({ type: "del", key: recordKey(revision) }));
      operations.push({ type: "put", key: baseKey(step.base.floor), value: encodeBase(step.base) });
      if (ledger.base.floor > 0) operations.push({ type: "del", key: baseKey(ledger.base.floor) });
      await engine.write(operations, { sync: true });
      await this.#writeHead({ ...this.#head, floor: step.base.floor });
      ledger.finishStep(step);
      return step.removed.length;
    });
  }

  async #writeHead(head: Head): Promise<void> {
    await this.#deps.headFile.write(head);
    this.#head = head;
  }

  #checkRecord(key: string, value: Buffer): void {
    // The hash covers the whole content of the record.
    const { revision, hash } = checkRecord(key, value);
    if (this.#deps.ledger.hashOf(revision) !== hash) throw corrupt(key, "is not what was written");
  }
}

function recordOf(change: CommittedChange, previousHash: Digest, values: StoredValues): LogRecord {
  const { type, revision, entry, before } = change;
  const { key, index } = entry;
  const value = values.seal(key, entry.value);
  return { type, revision, previousOfKey: before?.revision ?? 0, previousHash, key, index, value };
}

/** Every record key sorts below this key. */
export const recordsRange = { from: recordKey(0), to: recordKeysEnd };
