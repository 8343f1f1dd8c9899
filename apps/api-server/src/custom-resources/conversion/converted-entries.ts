import type { Entry } from "@kintsugi/store";

/** Limit in bytes of the cached entries of one version. */
const bytesMax = 16 * 1024 * 1024;

/**
 * A cache of recently converted entries, so that the watches of one version share the calls for a
 * change. A revision of an object never changes, so entries are never stale.
 */
export class ConvertedEntries {
  readonly #kept = new Map<string, Entry>();
  #bytes = 0;

  find(entry: Entry): Entry | undefined {
    return this.#kept.get(nameOf(entry));
  }

  /** Caches an entry, and evicts the oldest entries when the cache is full. */
  put(entry: Entry, converted: Entry): void {
    const name = nameOf(entry);
    if (this.#kept.has(name)) return;
    this.#kept.set(name, converted);
    this.#bytes += converted.value.byteLength;
    for (const [oldest, { value }] of this.#kept) {
      if (this.#bytes <= bytesMax) return;
      this.#kept.delete(oldest);
      this.#bytes -= value.byteLength;
    }
  }
}

function nameOf({ key, revision }: Entry): string {
  return `${key}@${revision}`;
}
