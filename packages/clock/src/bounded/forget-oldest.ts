/** Removes the first entry of a map or set that has grown one entry beyond its limit. */
export function forgetOldest<K>(kept: Kept<K>, sizeMax: number): void {
  if (kept.size <= sizeMax) return;
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    return;
  }
}

interface Kept<K> {
  readonly size: number;
  keys(): IterableIterator<K>;
  delete(key: K): boolean;
}
