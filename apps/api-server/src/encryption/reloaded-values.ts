import type { StoredValues } from "@kintsugi/store";

/** Values, with the name of the method by which new values are encrypted. */
export interface SealedValues extends StoredValues {
  /**
   * The prefix of values that are encrypted now, which names provider and key; "" for values in
   * plain text.
   */
  sealedBy(key: string): string;
}

interface Earlier {
  /** Values up to this revision were encrypted by this method. */
  readonly until: number;
  sealedBy(key: string): string | undefined;
}

/**
 * Limit of earlier methods that are remembered. Even older methods count as different from a later
 * equal method.
 */
const earlierMax = 64;

/**
 * Values whose configuration may be replaced while the server runs. An entry in memory does not
 * show that its value on the disk is encrypted by an older method, so each method is remembered
 * with the last revision for which it was used.
 */
export class ReloadedValues implements StoredValues {
  #now: SealedValues;
  #earlier: Earlier[] = [];

  constructor(initial: SealedValues) {
    this.#now = initial;
  }

  /** @param revision the last revision whose value may be encrypted by the previous method. */
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

  /** True where the value of a revision would now be encrypted by a different method. */
  isSealedOtherwise({ key, revision }: { key: string; revision: number }): boolean {
    const way = this.#earlier.find(({ until }) => revision <= until);
    return way !== undefined && way.sealedBy(key) !== this.#now.sealedBy(key);
  }
}
