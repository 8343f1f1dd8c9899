/** A priority queue whose items can be found, replaced and removed by key. */
export class KeyedHeap<T> {
  readonly #keyOf: (item: T) => string;
  readonly #isBefore: (a: T, b: T) => boolean;
  readonly #items: T[] = [];
  readonly #positions = new Map<string, number>();

  constructor(keyOf: (item: T) => string, isBefore: (a: T, b: T) => boolean) {
    this.#keyOf = keyOf;
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  find(key: string): T | undefined {
    const position = this.#positions.get(key);
    return position === undefined ? undefined : this.#items[position];
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  put(item: T): void {
    const key = this.#keyOf(item);
    const position = this.#positions.get(key) ?? this.#items.length;
    this.#set(position, item);
    this.#down(this.#up(position));
  }

  pop(): T | undefined {
    const first = this.#items[0];
    return first === undefined ? undefined : this.remove(this.#keyOf(first));
  }

  remove(key: string): T | undefined {
    const position = this.#positions.get(key);
    if (position === undefined) return undefined;
    const removed = this.#items[position];
    const last = this.#items.pop();
    this.#positions.delete(key);
    if (last !== undefined && position < this.#items.length) {
      this.#set(position, last);
      this.#down(this.#up(position));
    }
    return removed;
  }

  items(): readonly T[] {
    return this.#items;
  }

  #up(from: number): number {
    let position = from;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      if (!this.#swapIfBefore(position, parent)) break;
      position = parent;
    }
    return position;
  }

  #down(from: number): void {
    let position = from;
    for (;;) {
      const [left, right] = [2 * position + 1, 2 * position + 2];
      const child = this.#comesFirst(right, left) ? right : left;
      if (child >= this.#items.length || !this.#swapIfBefore(child, position)) return;
      position = child;
    }
  }

  #comesFirst(a: number, b: number): boolean {
    const [first, second] = [this.#items[a], this.#items[b]];
    return first !== undefined && second !== undefined && this.#isBefore(first, second);
  }

  #swapIfBefore(a: number, b: number): boolean {
    const [first, second] = [this.#items[a], this.#items[b]];
    if (first === undefined || second === undefined || !this.#isBefore(first, second)) return false;
    this.#set(a, second);
    this.#set(b, first);
    return true;
  }

  #set(position: number, item: T): void {
    this.#items[position] = item;
    this.#positions.set(this.#keyOf(item), position);
  }
}
