import type { Timer } from "./clock.ts";

/** One waiting callback. */
export class PendingTimer implements Timer {
  readonly dueMs: number;
  /** Order of creation: timers due at the same instant fire in the order in which they were set. */
  readonly order: number;
  readonly callback: () => void;
  readonly #heap: TimerHeap;
  #state: "waiting" | "cancelled" | "fired" = "waiting";

  constructor(heap: TimerHeap, spec: { dueMs: number; order: number; callback: () => void }) {
    this.#heap = heap;
    this.dueMs = spec.dueMs;
    this.order = spec.order;
    this.callback = spec.callback;
  }

  get isCancelled(): boolean {
    return this.#state === "cancelled";
  }

  cancel(): void {
    if (this.#state !== "waiting") return;
    this.#state = "cancelled";
    this.#heap.noticeCancelled();
  }

  /** Records that the timer was removed because it is due. */
  markFired(): void {
    this.#state = "fired";
  }

  isBefore(other: PendingTimer): boolean {
    return this.dueMs < other.dueMs || (this.dueMs === other.dueMs && this.order < other.order);
  }
}

/** Cancelled entries below this number are not swept. */
const sweepMin = 64;

/**
 * Waiting timers, the next due first. A binary heap in an array: the children of entry i are 2i+1
 * and 2i+2, and a child is never due before its parent. Cancelled entries remain until they reach
 * the top, or until they are more than half of the heap.
 */
export class TimerHeap {
  #entries: PendingTimer[] = [];
  #cancelled = 0;

  /** The number of entries that are not cancelled. */
  get size(): number {
    return this.#entries.length - this.#cancelled;
  }

  push(timer: PendingTimer): void {
    this.#entries.push(timer);
    this.#rise(timer, this.#entries.length - 1);
  }

  /** Counts a cancelled entry, and drops all cancelled entries once they are half of the heap. */
  noticeCancelled(): void {
    this.#cancelled++;
    if (this.#entries.length >= sweepMin && this.#cancelled * 2 > this.#entries.length) this.#sweep();
  }

  /** Removes and returns the next timer that is due by `untilMs`. */
  popDue(untilMs: number): PendingTimer | undefined {
    for (;;) {
      const first = this.#entries[0];
      if (first === undefined || (!first.isCancelled && first.dueMs > untilMs)) return undefined;
      this.#removeFirst();
      if (!first.isCancelled) {
        first.markFired();
        return first;
      }
      this.#cancelled--;
    }
  }

  /** Returns the next timer that is not cancelled, without removing it. */
  peek(): PendingTimer | undefined {
    for (;;) {
      const first = this.#entries[0];
      if (first === undefined || !first.isCancelled) return first;
      this.#removeFirst();
      this.#cancelled--;
    }
  }

  #removeFirst(): void {
    const last = this.#entries.pop();
    if (last !== undefined && this.#entries.length > 0) this.#sink(last);
  }

  #sweep(): void {
    // Sorted entries form a heap.
    this.#entries = this.#entries
      .filter(({ isCancelled }) => !isCancelled)
      .sort((a, b) => a.dueMs - b.dueMs || a.order - b.order);
    this.#cancelled = 0;
  }

  /**
   * Replaces the first entry by `timer`, and moves `timer` to its place. `timer` was the last
   * entry, and usually belongs near the end again. The gap therefore sinks all the way, which takes
   * one comparison for each level instead of two, and the timer rises from there.
   */
  #sink(timer: PendingTimer): void {
    const entries = this.#entries;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      let child = entries[below];
      if (child === undefined) break;
      const right = entries[below + 1];
      if (right?.isBefore(child)) {
        child = right;
        below++;
      }
      entries[at] = child;
      at = below;
    }
    this.#rise(timer, at);
  }

  /** Puts `timer` into the gap, or into its place above the gap. */
  #rise(timer: PendingTimer, gap: number): void {
    const entries = this.#entries;
    let at = gap;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = entries[above];
      if (parent === undefined || !timer.isBefore(parent)) break;
      entries[at] = parent;
      at = above;
    }
    entries[at] = timer;
  }
}
