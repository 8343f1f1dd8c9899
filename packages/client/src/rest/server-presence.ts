import type { Clock } from "@kintsugi/clock";

/**
 * Waiting callers are hurried this often, not at every answer, where one kind of call never gets an
 * answer and others do.
 */
const tellAtMostEveryMs = 1000;

/**
 * Records whether the server could be reached, and could write, at the last call of one client.
 * Calls that failed each wait by themselves before they are made again; the first that gets through
 * ends the wait of all others.
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

  /** No answer came back, or it broke off. */
  missed(): void {
    this.#isAway = true;
    this.#missedMs = this.#clock.monotonicMs();
  }

  /** The time of the last miss; -Infinity for never. */
  get missedMs(): number {
    return this.#missedMs;
  }

  /**
   * The server had no room for a write; reads do not show that, nor do writes that it takes all the
   * same.
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
   * it was full, each time, but at most once a second. Returns how to stop.
   */
  onReturn(handler: () => void): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }
}
