import { type Call, type History, isWrite, valueText } from "./history.ts";
import type { CommitLog } from "./commit-log.ts";
import { groupedBy } from "./grouped.ts";

/**
 * Evidence of the store's progress: at this time, its revision was at least, or below, this
 * revision.
 */
interface Sign {
  readonly atMs: number;
  readonly revision: number;
}

/**
 * Bounds the revisions between which a call can have taken effect. Every response shows the store's
 * progress at its time. A change cannot be seen before the call that makes it has begun, or before
 * it is committed.
 */
export class RevisionBounds {
  /** Ascending in time and in revision: the highest revision seen so far. */
  readonly #seen: readonly Sign[];
  /**
   * Each sign has the lowest revision that is created from its time on. Signs ascend in time and in
   * revision.
   */
  readonly #made: readonly Sign[];

  constructor(history: History, log?: CommitLog) {
    this.#seen = risingMaxima(answers(history));
    this.#made = log ? fallingMinima(makings(history, log)) : [];
  }

  /** The store had reached at least this revision when an operation began at that time. */
  atLeast(startMs: number): number {
    return this.#seen[lastBefore(this.#seen, startMs)]?.revision ?? 0;
  }

  /** The store had reached at most this revision when an operation ended at that time. */
  atMost(endMs: number): number {
    const next = this.#made[lastBefore(this.#made, endMs) + 1];
    return next === undefined ? Infinity : next.revision - 1;
  }
}

function* answers({ calls, lists, watches }: History): Generator<Sign> {
  for (const { outcome, endMs } of calls)
    if (outcome.is === "ok" && outcome.revision !== undefined) yield { atMs: endMs, revision: outcome.revision };
  for (const { pages } of lists) for (const { endMs, revision } of pages) yield { atMs: endMs, revision };
  for (const { frames } of watches) for (const { atMs, revision } of frames) yield { atMs, revision };
}

function* makings({ calls }: History, log: CommitLog): Generator<Sign> {
  for (const { atMs, revision } of log.commits) if (atMs !== undefined) yield { atMs, revision };
  const makers = groupedBy(calls.filter(isWrite), revisionOf);
  const perhaps = new Set(calls.filter(({ outcome }) => outcome.is === "unknown").map(requestKey));
  for (const [revision, [call, ...others]] of makers) {
    // A response may also name a revision that another call created, if the object did not have to
    // change.
    if (revision === undefined || call === undefined || others.length > 0 || perhaps.has(requestKey(call))) continue;
    if (log.find(revision)?.key === call.key) yield { atMs: call.startMs, revision };
  }
}

function revisionOf({ outcome }: Call): number | undefined {
  return outcome.is === "ok" ? outcome.revision : undefined;
}

function requestKey({ key, asked }: Call): string {
  return `${key} ${valueText(asked)}`;
}

function risingMaxima(signs: Iterable<Sign>): Sign[] {
  const maxima: Sign[] = [];
  for (const sign of sorted(signs)) if (sign.revision > (maxima.at(-1)?.revision ?? 0)) maxima.push(sign);
  return maxima;
}

function fallingMinima(signs: Iterable<Sign>): Sign[] {
  const minima: Sign[] = [];
  for (const sign of sorted(signs).reverse())
    if (sign.revision < (minima.at(-1)?.revision ?? Infinity)) minima.push(sign);
  return minima.reverse();
}

function sorted(signs: Iterable<Sign>): Sign[] {
  return [...signs].sort((one, other) => one.atMs - other.atMs || one.revision - other.revision);
}

/** The index of the last evidence strictly before that time; −1 without earlier evidence. */
function lastBefore(signs: readonly Sign[], atMs: number): number {
  let low = 0;
  let high = signs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((signs[middle]?.atMs ?? Infinity) < atMs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
