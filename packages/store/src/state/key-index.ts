import { strict as assert } from "node:assert";
import type { Entry } from "../store.ts";

// Entries in key order, in blocks, so that an insertion moves at most one block and a page is a few
// slices:
//
//   blocks  [ a b c d ] [ e f ] [ g h i ]        count("e".."h") = rank("h") - rank("e") = 7 - 4
//   slots   b → { key, entry }                   replacing an entry changes only its slot

/**
 * Maximum length of a block, which is half full after a split. At this size, moving half a block
 * costs less than finding it.
 */
const blockKeysMax = 512;

interface Slot {
  readonly key: string;
  entry: Entry;
}

/** The current entries: found by key, counted and sliced by range. */
export class KeyIndex {
  readonly #slots = new Map<string, Slot>();
  readonly #blocks: Slot[][] = [];

  get size(): number {
    return this.#slots.size;
  }

  find(key: string): Entry | undefined {
    return this.#slots.get(key)?.entry;
  }

  /** Adds the entry, or replaces the entry at its key. */
  set(entry: Entry): void {
    const present = this.#slots.get(entry.key);
    if (present) {
      present.entry = entry;
      return;
    }
    const slot = { key: entry.key, entry };
    this.#slots.set(entry.key, slot);
    this.#insert(slot);
  }

  delete(key: string): void {
    if (!this.#slots.delete(key)) return;
    const at = this.#blockOf(key);
    const block = this.#blocks[at];
    const position = block ? lowerBound(block, key) : -1;
    assert(block?.[position]?.key === key, `the index has no place for ${key}`);
    block.splice(position, 1);
    if (block.length === 0) this.#blocks.splice(at, 1);
  }

  /** Counts the keys in [from, to), or to the end if `to` is undefined. */
  count(from: string, to: string | undefined): number {
    const end = to === undefined ? this.#slots.size : this.#rank(to);
    return Math.max(0, end - this.#rank(from));
  }

  /** The first `limit` entries in [from, to), ordered. */
  slice(from: string, to: string | undefined, limit: number): Entry[] {
    const entries: Entry[] = [];
    for (let at = this.#blockOf(from); at < this.#blocks.length; at++) {
      const block = this.#blocks[at] ?? [];
      for (let i = lowerBound(block, from); i < block.length; i++) {
        const slot = block[i];
        if (!slot || entries.length >= limit || (to !== undefined && slot.key >= to)) return entries;
        entries.push(slot.entry);
      }
    }
    return entries;
  }

  #insert(slot: Slot): void {
    const at = this.#blockOf(slot.key);
    const block = this.#blocks[at];
    if (!block) {
      this.#blocks.push([slot]);
      return;
    }
    block.splice(lowerBound(block, slot.key), 0, slot);
    if (block.length > blockKeysMax) this.#blocks.splice(at + 1, 0, block.splice(blockKeysMax / 2));
  }

  /** Counts the keys below `key`. */
  #rank(key: string): number {
    const at = this.#blockOf(key);
    let rank = 0;
    for (let i = 0; i < at; i++) rank += this.#blocks[i]?.length ?? 0;
    const block = this.#blocks[at];
    return rank + (block ? lowerBound(block, key) : 0);
  }

  /** The last block that starts at or below `key`; the first block when all start above. */
  #blockOf(key: string): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      const first = this.#blocks[middle]?.[0];
      if (first && first.key <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** The position of the first slot at or above `key`. */
function lowerBound(block: readonly Slot[], key: string): number {
  let low = 0;
  let high = block.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const slot = block[middle];
    if (slot && slot.key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
