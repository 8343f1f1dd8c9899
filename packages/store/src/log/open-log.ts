import type { Disk, Engine, EngineRecord } from "../disk/disk.ts";
import type { StateOptions } from "../state/store-state.ts";
import { StoreState } from "../state/store-state.ts";
import { type CommittedChange, type Entry, StoreCorrupt, ValueSealed } from "../store.ts";
import type { StoredValues } from "../stored-values.ts";
import { resourceOfKey } from "../object-key.ts";
import { type Base, baseKey, baseKeysEnd, baseKeysStart, decodeBase } from "./base-record.ts";
import { type Digest, digestOf, DigestSum, digestToHex, digestZero } from "./digest.ts";
import type { Head } from "./head.ts";
import { Ledger } from "./ledger.ts";
import { corrupt, decodeRecord, type LogRecord, recordKey } from "./record.ts";
import { recordsRange } from "./revision-log.ts";

/** The log as it was found and verified. */
export interface OpenedLog {
  readonly state: StoreState;
  readonly ledger: Ledger;
  /** The last record, which may be ahead of HEAD. */
  readonly revision: number;
  /** The hash of the last record, in hexadecimal. */
  readonly hash: string;
}

export interface ReadLogDeps {
  disk: Disk;
  engine: Engine;
  head: Head;
  nowMs: number;
  values: StoredValues;
}

const pageRecordsMax = 1000;

/** The base of a log that was never compacted; the chain starts from the cluster's id. */
export function firstBase(clusterId: string): Base {
  const hash = digestOf(Buffer.from(clusterId, "utf8"));
  return { floor: 0, historyStart: 0, hash, count: 0, sum: digestZero, floors: new Map() };
}

/**
 * Reads the whole log into memory and verifies it: every checksum; up to the floor the count and
 * the sum of the remaining records; after the floor an unbroken chain; and that it reaches the
 * revision in HEAD.
 * @throws StoreCorrupt naming the record that is wrong.
 */
export async function readLog(deps: ReadLogDeps, options: StateOptions): Promise<OpenedLog> {
  const { engine, head } = deps;
  const base = await readBase(engine, head);
  const reader = new LogReader(base, { nowMs: deps.nowMs, state: options, head, values: deps.values });
  let page = await readRecords(engine, recordsRange.from);
  for (let last = page.at(-1); last; last = page.at(-1)) {
    // The disk reads the next page while this page is verified.
    const next = readRecords(engine, `${last.key}\0`);
    // If this page is corrupt, the next page is not awaited, and its error must not become an
    // unhandled rejection.
    next.catch(() => {});
    for (const { key, value } of page) reader.read(key, value);
    page = await next;
  }
  return reader.finish();
}

function readRecords(engine: Engine, from: string): Promise<readonly EngineRecord[]> {
  return engine.readPage({ from, to: recordsRange.to }, pageRecordsMax);
}

async function readBase(engine: Engine, head: Head): Promise<Base> {
  const records = await engine.readPage({ from: baseKeysStart, to: baseKeysEnd }, 2);
  const [record, second] = records;
  if (second) throw new StoreCorrupt(`the log has two base records, ${records.map(({ key }) => key).join(" and ")}`);
  const base = record ? decodeBase(record.key, record.value) : firstBase(head.clusterId);
  if (base.floor < head.floor) {
    throw new StoreCorrupt(
      `the log was compacted up to ${head.floor}, but its base record states ${base.floor}: a file is lost`,
    );
  }
  return base;
}

/** Takes the records in order and continues the verification. */
class LogReader {
  readonly #base: Base;
  readonly #head: Head;
  readonly #nowMs: number;
  readonly #values: StoredValues;
  readonly #state: StoreState;
  readonly #ledger: Ledger;
  #count = 0;
  readonly #sum = new DigestSum();
  /** The last record of the chain, once the floor is passed. */
  #last: { revision: number; hash: Digest };

  constructor(base: Base, options: { nowMs: number; state: StateOptions; head: Head; values: StoredValues }) {
    this.#base = base;
    this.#head = options.head;
    this.#nowMs = options.nowMs;
    this.#values = options.values;
    this.#state = new StoreState(options.state, base);
    this.#ledger = new Ledger(base);
    this.#last = { revision: base.floor, hash: base.hash };
  }

  read(key: string, value: Buffer): void {
    const { record, hash } = decodeRecord(key, value);
    if (record.revision <= this.#base.floor) this.#readLive(key, record, hash);
    else this.#readChained(key, record, hash);
  }

  finish(): OpenedLog {
    if (this.#last.revision === this.#base.floor) this.#passFloor();
    const { revision, hash } = this.#last;
    if (revision < this.#head.revision) {
      throw new StoreCorrupt(
        `the log ends at ${recordKey(revision)}, before ${recordKey(this.#head.revision)}, which was acknowledged: ` +
          `its end is lost; restore a backup`,
      );
    }
    this.#state.advanceTo(revision);
    return { state: this.#state, ledger: this.#ledger, revision, hash: digestToHex(hash) };
  }

  /** Every record up to the floor is live, and their sum is the base's sum. */
  #readLive(key: string, record: LogRecord, hash: Digest): void {
    if (record.type === "delete" || this.#state.find(record.key)) throw corrupt(key, "should have been compacted away");
    this.#count++;
    this.#sum.add(hash);
    const change = this.#changeOf(record, undefined);
    this.#note(change, { hash, previousOfKey: 0 });
    if (this.#state.isForgotten(change)) this.#state.applyForgotten(change);
    else if (record.previousOfKey !== 0) throw corrupt(key, "lacks its predecessor");
    else this.#state.apply(change, this.#nowMs);
  }

  /** Every record after the floor is present, each with the hash of the previous record. */
  #readChained(key: string, record: LogRecord, hash: Digest): void {
    if (this.#last.revision === this.#base.floor) this.#passFloor();
    if (record.revision !== this.#last.revision + 1) throw corrupt(recordKey(this.#last.revision + 1), "is missing");
    if (record.previousHash !== this.#last.hash) throw corrupt(key, "does not follow the record before it");
    const before = this.#state.find(record.key);
    if ((before?.revision ?? 0) !== record.previousOfKey)
      throw corrupt(key, "does not follow the last record of its key");
    const change = this.#changeOf(record, before);
    this.#note(change, { hash, previousOfKey: record.previousOfKey });
    this.#state.apply(change, this.#nowMs);
    this.#reach(record.revision, hash);
  }

  #note({ type, revision, resource }: CommittedChange, facts: { hash: Digest; previousOfKey: number }): void {
    this.#ledger.add({ type, revision, resource, previousOfKey: facts.previousOfKey }, facts.hash);
  }

  #reach(revision: number, hash: Digest): void {
    if (revision === this.#head.revision && digestToHex(hash) !== this.#head.hash) {
      throw corrupt(recordKey(revision), "is not the record that HEAD names");
    }
    this.#last = { revision, hash };
  }

  /** All records up to the floor have been read. Together they must match the base record. */
  #passFloor(): void {
    const { floor, count, sum } = this.#base;
    this.#reach(floor, this.#base.hash);
    if (this.#count === count && this.#sum.toDigest() === sum) return;
    const found = this.#count === count ? "but the log has other records" : `of which ${this.#count} exist`;
    throw new StoreCorrupt(
      `${baseKey(floor)} states that ${count} records remain up to it, ${found}: data is lost; restore a backup`,
    );
  }

  #changeOf(record: LogRecord, before: Entry | undefined): CommittedChange {
    const { key, revision, index, type } = record;
    const resource = resourceOfKey(key);
    const previousOfResource = this.#state.lastRevisionOf(resource);
    const { value, stale } = this.#open(record);
    const entry = { key, revision, value, index, ...(stale ? { stale } : {}) };
    return { revision, resource, previousOfResource, type, entry, before };
  }

  /** @throws ValueSealed */
  #open({ key, revision, value }: LogRecord): { value: Uint8Array; stale: boolean } {
    try {
      return this.#values.open(key, value);
    } catch (cause) {
      throw new ValueSealed(`${key}, at revision ${revision}, cannot be read: ${(cause as Error).message}`, { cause });
    }
  }
}
