import { strict as assert } from "node:assert";
import type { Base } from "./base-record.ts";
import { type Digest, DigestSum } from "./digest.ts";

/** The part of a record that the ledger reads. */
export interface LedgerRecord {
  readonly type: "put" | "delete";
  readonly revision: number;
  readonly resource: string;
  readonly previousOfKey: number;
}

/** One batch of a compaction. */
export interface CompactionStep {
  readonly base: Base;
  /** Revisions whose records are removed. */
  readonly removed: readonly number[];
  /** The number of the oldest supersessions that this batch completes. */
  readonly settled: number;
}

/**
 * A record that a later record of the same key has superseded; a tombstone is removed together with
 * the record that it covers.
 */
interface Supersession {
  readonly by: number;
  readonly previous: number;
  readonly tombstone: boolean;
  readonly resource: string;
}

/** More deletes would make the writers wait too long for one compaction batch. */
const stepDeletesMax = 1000;

/**
 * Keeps the hash of every record in the log, and which records are superseded. Compaction and
 * scrubbing use it.
 */
export class Ledger {
  #base: Base;
  readonly #hashes = new Map<number, Digest>();
  /** Oldest first. */
  readonly #superseded: Supersession[] = [];

  constructor(base: Base) {
    this.#base = base;
  }

  get base(): Base {
    return this.#base;
  }

  /** The number of records in the log. */
  get size(): number {
    return this.#hashes.size;
  }

  hashOf(revision: number): Digest | undefined {
    return this.#hashes.get(revision);
  }

  /** Adds a record; records arrive in revision order. */
  add(record: LedgerRecord, hash: Digest): void {
    const { revision, previousOfKey, resource } = record;
    this.#hashes.set(revision, hash);
    // A record below the floor is live, so the records that it superseded no longer exist.
    if (previousOfKey === 0 || revision <= this.#base.floor) return;
    this.#superseded.push({ by: revision, previous: previousOfKey, tombstone: record.type === "delete", resource });
  }

  /**
   * The next batch on the way to `target`; undefined when records up to it are not superseded. The
   * ledger does not change yet.
   */
  planStep(target: number): CompactionStep | undefined {
    const taken = this.#takeable(target);
    const floor = taken.at(-1)?.by;
    if (floor === undefined) return undefined;
    const removed = taken.flatMap(({ by, previous, tombstone }) => (tombstone ? [previous, by] : [previous]));
    const floors = new Map(this.#base.floors);
    for (const { resource, by } of taken) floors.set(resource, by);
    return { base: { ...this.#base, ...this.#proofAt(floor, removed), floor, floors }, removed, settled: taken.length };
  }

  /** Records that the step is durable. */
  finishStep(step: CompactionStep): void {
    for (const revision of step.removed) this.#hashes.delete(revision);
    this.#superseded.splice(0, step.settled);
    this.#base = step.base;
  }

  #takeable(target: number): Supersession[] {
    const taken: Supersession[] = [];
    let deletes = 0;
    for (const superseded of this.#superseded) {
      deletes += superseded.tombstone ? 2 : 1;
      if (superseded.by > target || deletes > stepDeletesMax) break;
      taken.push(superseded);
    }
    return taken;
  }

  #proofAt(floor: number, removed: readonly number[]): Pick<Base, "hash" | "count" | "sum"> {
    const sum = new DigestSum(this.#base.sum);
    for (let revision = this.#base.floor + 1; revision <= floor; revision++) sum.add(this.#knownHash(revision));
    for (const revision of removed) sum.subtract(this.#knownHash(revision));
    const count = this.#base.count + (floor - this.#base.floor) - removed.length;
    return { hash: this.#knownHash(floor), count, sum: sum.toDigest() };
  }

  #knownHash(revision: number): Digest {
    const hash = this.#hashes.get(revision);
    assert(hash !== undefined, `the ledger does not contain revision ${revision}`);
    return hash;
  }
}
