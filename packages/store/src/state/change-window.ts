import { strict as assert } from "node:assert";
import { type CommittedChange, RevisionExpired } from "../store.ts";

/** The limits of the history that one resource keeps in memory for watchers that resume. */
export interface WindowLimits {
  /** Changes younger than this are kept, unless there are too many bytes or events. */
  durationMs: number;
  /** This number of newest changes is kept, however old they are. */
  eventsMin: number;
  /** Maximum number of changes. */
  eventsMax: number;
  /** Maximum bytes of objects. */
  bytesMax: number;
}

/** The memory of a kept change in addition to its object: the change itself, its entry, its key. */
const overheadBytes = 256;
/**
 * Dropped places at the front are released in one move when there are more of them than this
 * number, and more than kept places.
 */
const droppedMax = 1024;

interface KeptChange {
  readonly change: CommittedChange;
  readonly atMs: number;
}

/**
 * The newest changes of one resource, oldest first.
 *
 *   changes   4  7  9 12 15      a watch from 7 gets 9 12 15
 *   dropped   ^  ^               a watch from 6 needs 7: expired
 *   floor        7
 */
export class ChangeWindow {
  readonly #limits: WindowLimits;
  /** Places before `#first` are released and empty. */
  #kept: (KeptChange | undefined)[] = [];
  #first = 0;
  #bytes = 0;
  #floor: number;

  /** `floor`: the newest change that is known to be lost. */
  constructor(limits: WindowLimits, floor: number) {
    this.#limits = limits;
    this.#floor = floor;
  }

  get floor(): number {
    return this.#floor;
  }

  append(change: CommittedChange, nowMs: number): void {
    const last = this.#kept.at(-1)?.change.revision ?? this.#floor;
    assert(change.revision > last, `revision ${change.revision} is kept after ${last}`);
    this.#kept.push({ change, atMs: nowMs });
    this.#bytes += costOf(change);
    this.trim(nowMs);
  }

  /** @throws RevisionExpired if a change after `revision` was dropped. */
  since(revision: number): CommittedChange[] {
    if (revision < this.#floor) {
      throw new RevisionExpired(`changes after revision ${revision} were dropped up to ${this.#floor}`);
    }
    const changes: CommittedChange[] = [];
    for (let i = this.#positionBehind(revision); i < this.#kept.length; i++) {
      const kept = this.#kept[i];
      if (kept) changes.push(kept.change);
    }
    return changes;
  }

  /** Returns true when an object changed after `revision`. */
  changedSince(revision: number): boolean {
    const last = this.#kept.at(-1);
    return last !== undefined && last.change.revision > revision;
  }

  /** Drops the changes beyond the limits. */
  trim(nowMs: number): void {
    for (
      let oldest = this.#kept[this.#first];
      oldest && this.#isOver(oldest, nowMs);
      oldest = this.#kept[this.#first]
    ) {
      assert(
        oldest.change.revision > this.#floor,
        `revision ${oldest.change.revision} is dropped after ${this.#floor}`,
      );
      this.#floor = oldest.change.revision;
      this.#bytes -= costOf(oldest.change);
      assert(this.#bytes >= 0, `the changes that are kept have ${this.#bytes} bytes`);
      this.#kept[this.#first++] = undefined;
    }
    if (this.#first > droppedMax && this.#first > this.#kept.length / 2) {
      this.#kept = this.#kept.slice(this.#first);
      this.#first = 0;
    }
  }

  /** The oldest kept change that is still young. History before it may be lost at a restart. */
  oldestYoung(nowMs: number): number | undefined {
    // Times never decrease, so a binary search would be possible, but this code runs only once per
    // compaction.
    for (let i = this.#first; i < this.#kept.length; i++) {
      const kept = this.#kept[i];
      if (kept && nowMs - kept.atMs < this.#limits.durationMs) return kept.change.revision;
    }
    return undefined;
  }

  #isOver(oldest: KeptChange, nowMs: number): boolean {
    const events = this.#kept.length - this.#first;
    if (events > this.#limits.eventsMax || this.#bytes > this.#limits.bytesMax) return true;
    return events > this.#limits.eventsMin && nowMs - oldest.atMs >= this.#limits.durationMs;
  }

  #positionBehind(revision: number): number {
    let low = this.#first;
    let high = this.#kept.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const kept = this.#kept[middle];
      if (kept && kept.change.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function costOf(change: CommittedChange): number {
  return change.entry.value.byteLength + overheadBytes;
}
