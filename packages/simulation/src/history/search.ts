/** The possible effects of one call, for the search for an order. */
export interface Operation<S> {
  readonly startMs: number;
  /** Infinity for a call with an unknown outcome, which may be left out of the order. */
  readonly endMs: number;
  /**
   * The states in which the call may leave the object; empty if the call's response does not fit
   * this state.
   */
  readonly next: (state: S) => readonly S[];
}

export interface SearchOptions<S> {
  /** Equal for equal states. */
  readonly textOf: (state: S) => string;
  /**
   * Limit on the number of steps, because the problem is hard in general, and a test must not hang.
   */
  readonly stepsMax: number;
}

export type SearchResult = "ordered" | "impossible" | "undecided";

/**
 * Decides whether the operations have an order that respects their times and in which each response
 * is correct: the search of Wing and Gong, with a cache of visited states, like Lowe's and
 * porcupine.
 */
export function findOrder<S>(
  initial: S,
  operations: readonly Operation<S>[],
  { textOf, stepsMax }: SearchOptions<S>,
): SearchResult {
  const sorted = [...operations].sort((one, other) => one.startMs - other.startMs);
  const needed = sorted.reduce((mask, { endMs }, index) => (endMs === Infinity ? mask : mask | bit(index)), 0n);
  const seen = new Set<string>();
  const open: { done: bigint; state: S }[] = [{ done: 0n, state: initial }];
  let steps = 0;
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { done, state } = place;
    if ((done & needed) === needed) return "ordered";
    const ends = sorted.map(({ endMs }, index) => ((done & bit(index)) === 0n ? endMs : Infinity));
    const firstEndMs = Math.min(...ends);
    for (const [index, operation] of sorted.entries()) {
      if (operation.startMs > firstEndMs) break;
      if ((done & bit(index)) !== 0n) continue;
      for (const next of operation.next(state)) {
        if (++steps > stepsMax) return "undecided";
        const reached = { done: done | bit(index), state: next };
        const name = `${reached.done.toString(36)} ${textOf(next)}`;
        if (seen.has(name)) continue;
        seen.add(name);
        open.push(reached);
      }
    }
  }
  return "impossible";
}

function bit(index: number): bigint {
  return 1n << BigInt(index);
}
