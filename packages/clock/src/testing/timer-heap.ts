/** One waiting callback. */
export interface PendingTimer {
  readonly dueMs: number;
  /** Order of creation: timers due at the same instant fire in the order they were set. */
  readonly order: number;
  readonly callback: () => void;
  isCancelled: boolean;
}

/** Below this many entries cancelled ones are not worth sweeping. */
const sweepMin = 64;

/**
 * Waiting timers, the next due first. A binary heap in an array: the children of entry i are 2i+1 and 2i+2, and none is due
 * before its parent. Cancelled entries stay until they come up, or until they are the larger half.
 */
export class TimerHeap {
  #entries: PendingTimer[] = [];
  #cancelled = 0;

  /** Those not cancelled. */
  get size(): number {
    return this.#entries.length - this.#cancelled;
  }

  push(timer: PendingTimer): void {
    this.#entries.push(timer);
    this.#rise(this.#entries.length - 1);
  }

  cancel(timer: PendingTimer): void {
    timer.isCancelled = true;
    this.#cancelled++;
    if (this.#entries.length >= sweepMin && this.#cancelled * 2 > this.#entries.length) this.#sweep();
  }

  /** Takes out the next one that is due by then. */
  popDue(untilMs: number): PendingTimer | undefined {
    for (;;) {
      const [first] = this.#entries;
      if (first === undefined || (!first.isCancelled && first.dueMs > untilMs)) return undefined;
      this.#removeFirst();
      if (!first.isCancelled) return first;
      this.#cancelled--;
    }
  }

  #removeFirst(): void {
    const last = this.#entries.pop();
    if (last === undefined || this.#entries.length === 0) return;
    this.#entries[0] = last;
    this.#sink(0);
  }

  #sweep(): void {
    this.#entries = this.#entries.filter(({ isCancelled }) => !isCancelled).sort(compare);
    this.#cancelled = 0;
  }

  #rise(index: number): void {
    for (let at = index; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(index: number): void {
    for (let at = index; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let first = at;
      if (left < this.#entries.length && this.#isBefore(left, first)) first = left;
      if (right < this.#entries.length && this.#isBefore(right, first)) first = right;
      if (first === at) return;
      this.#swap(at, first);
      at = first;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [left, right] = [this.#entries[a], this.#entries[b]];
    return left !== undefined && right !== undefined && compare(left, right) < 0;
  }

  #swap(a: number, b: number): void {
    const [left, right] = [this.#entries[a], this.#entries[b]];
    if (left === undefined || right === undefined) return;
    this.#entries[a] = right;
    this.#entries[b] = left;
  }
}

function compare(a: PendingTimer, b: PendingTimer): number {
  return a.dueMs - b.dueMs || a.order - b.order;
}
