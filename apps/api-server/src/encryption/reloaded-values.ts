import type { StoredValues } from "@kintsugi/store";

/** Values with the name of the way in which new ones are sealed. */
export interface SealedValues extends StoredValues {
  /** The prefix of values that are sealed now, which names provider and key; "" for plain ones. */
  sealedBy(key: string): string;
}

interface Earlier {
  /** Values of this revision and of earlier ones were sealed in this way. */
  readonly until: number;
  sealedBy(key: string): string | undefined;
}

/** A later way that is the same needs an exact record; those beyond count as different. */
const earlierMax = 64;

/**
 * Values whose configuration may be replaced while the server runs. An entry that was read before
 * does not know that its value on the disk is sealed in an older way, so the ways are remembered by
 * the revisions up to which they were used.
 */
export class ReloadedValues implements StoredValues {
  #now: SealedValues;
  #earlier: Earlier[] = [];

  constructor(initial: SealedValues) {
    this.#now = initial;
  }

  /** @param revision the last one whose value may be sealed in the way of before. */
  replace(next: SealedValues, revision: number): void {
    const before = this.#now;
    this.#earlier.push({ until: revision, sealedBy: (key) => before.sealedBy(key) });
    this.#now = next;
    if (this.#earlier.length <= earlierMax) return;
    const [, second, ...rest] = this.#earlier;
    this.#earlier = [{ until: second?.until ?? 0, sealedBy: () => undefined }, ...rest];
  }

  seal(key: string, value: Uint8Array): Uint8Array {
    return this.#now.seal(key, value);
  }

  open(key: string, stored: Uint8Array): { value: Uint8Array; stale: boolean } {
    return this.#now.open(key, stored);
  }

  /** True where the value of a revision would be sealed in another way now. */
  isSealedOtherwise({ key, revision }: { key: string; revision: number }): boolean {
    const way = this.#earlier.find(({ until }) => revision <= until);
    return way !== undefined && way.sealedBy(key) !== this.#now.sealedBy(key);
  }
}
