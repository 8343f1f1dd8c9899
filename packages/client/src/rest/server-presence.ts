import type { Clock } from "@kintsugi/clock";

/**
 * Shortest time between two wake-ups of waiting callers. They are not woken at every answer,
 * because one kind of call may never be answered while other calls are answered.
 */
const tellAtMostEveryMs = 1000;

/**
 * Records whether the server could be reached, and could write, at the last call of one client.
 * Each failed call waits by itself before its retry. The first call that succeeds ends the wait of
 * all other calls.
 */
export class ServerPresence {
  readonly #handlers = new Set<() => void>();
  readonly #clock: Clock;
  #isAway = false;
  #isFull = false;
  #missedMs = -Infinity;
  #toldMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records that an answer did not arrive, or was cut off. */
  missed(): void {
    this.#isAway = true;
    this.#missedMs = this.#clock.monotonicMs();
  }

  /** The time of the last miss; -Infinity without a miss. */
  get missedMs(): number {
    return this.#missedMs;
  }

  /**
   * Records that the server was too full for a write. Reads, and the writes that a full server
   * still accepts, do not reveal this state.
   */
  full(): void {
    this.#isFull = true;
  }

  answered({ hasWritten }: { hasWritten: boolean }): void {
    if (!this.#isAway && !(this.#isFull && hasWritten)) return;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#toldMs + tellAtMostEveryMs) return;
    this.#isAway = false;
    if (hasWritten) this.#isFull = false;
    this.#toldMs = nowMs;
    for (const handler of this.#handlers) handler();
  }

  /**
   * Calls `handler` at the first answer after the server was missed, and at the first write after
   * it was full, each time, but at most once a second. Returns a function that stops the calls.
   */
  onReturn(handler: () => void): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }
}
