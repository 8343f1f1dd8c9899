import { forgetOldest } from "./forget-oldest.ts";

/** A map that removes its least recently used entry once it is full. */
export class LruMap<K, V> {
  readonly #sizeMax: number;
  readonly #entries = new Map<K, V>();

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    forgetOldest(this.#entries, this.#sizeMax);
  }

  clear(): void {
    this.#entries.clear();
  }
}
