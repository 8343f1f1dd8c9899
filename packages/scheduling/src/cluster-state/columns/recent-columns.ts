import type { NodeColumn } from "./column.ts";

/** Columns of one kind by name, made when a decision first requests a column. */
export class RecentColumns<C extends NodeColumn> {
  /** The most recently used column is last. */
  readonly #byName = new Map<string, C>();
  readonly #make: (name: string) => C;
  readonly #max: number;

  /** @param max the number of columns that are kept; the least recently used column is dropped. */
  constructor(make: (name: string) => C, { max }: { max: number }) {
    this.#make = make;
    this.#max = max;
  }

  get(name: string): C {
    const column = this.#byName.get(name) ?? this.#make(name);
    this.#byName.delete(name);
    const [oldest] = this.#byName.keys();
    if (oldest !== undefined && this.#byName.size >= this.#max) this.#byName.delete(oldest);
    this.#byName.set(name, column);
    return column;
  }

  [Symbol.iterator](): Iterator<C> {
    return this.#byName.values();
  }
}
