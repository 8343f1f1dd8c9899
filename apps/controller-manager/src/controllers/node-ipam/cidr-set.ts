import { strict as assert } from "node:assert";
import { formatIpv4Range, type Ipv4Range } from "@kintsugi/api";

/**
 * Upstream's limit: a bitmap of more than 2^16 ranges is rejected because a search through it would
 * be slow.
 */
const rangesMax = 65_536;

/**
 * The ranges of one size that a cluster's range is divided into, with a record of the ranges in
 * use. 10.200.128.0/17 divided into /24 ranges:
 *
 *   index   0                1                …   127
 *   range   10.200.128.0/24  10.200.129.0/24      10.200.255.0/24
 *
 * Ranges are allocated in turn, so that a released range is reused as late as possible: upstream's
 * cidrset.
 */
export class CidrSet {
  readonly #cluster: Ipv4Range;
  readonly #rangeSize: number;
  /**
   * The number of uses of each range, because several nodes may have addresses in the same range.
   */
  readonly #uses: Uint32Array;
  #usedCount = 0;

  /** @throws RangeError when the ranges are larger than the whole, or too many. */
  constructor(cluster: Ipv4Range, nodeMaskBits: number) {
    const rangeSize = 2 ** (32 - nodeMaskBits);
    const count = cluster.size / rangeSize;
    if (count < 1)
      throw new RangeError(
        `the range ${formatIpv4Range(cluster)} is smaller than a node's range of ${nodeMaskBits} bits`,
      );
    if (count > rangesMax)
      throw new RangeError(
        `ranges of ${nodeMaskBits} bits are too small for ${formatIpv4Range(cluster)}: the cluster would have ${count} ranges, and ${rangesMax} are possible`,
      );
    this.#cluster = cluster;
    this.#rangeSize = rangeSize;
    this.#uses = new Uint32Array(count);
  }

  /** The number of ranges. */
  get size(): number {
    return this.#uses.length;
  }

  get usedCount(): number {
    return this.#usedCount;
  }

  /**
   * Occupies every range that overlaps this range, until the ranges are released as many times.
   * Addresses outside of the cluster's range do not matter.
   */
  occupy(range: Ipv4Range): void {
    this.#add(range, 1);
  }

  /** Undoes one `occupy` of the same range. */
  release(range: Ipv4Range): void {
    this.#add(range, -1);
  }

  contains(range: Ipv4Range): boolean {
    const [from, until] = this.#indexesOf(range);
    return from < until;
  }

  /**
   * The first free range at or after the index, wrapping around; undefined when every range is in
   * use. Does not occupy the range.
   */
  nextFree(start: number): { range: Ipv4Range; index: number; tries: number } | undefined {
    if (this.#usedCount === this.size) return undefined;
    for (let tries = 1; tries <= this.size; tries++) {
      const index = (start + tries - 1) % this.size;
      if (this.#uses[index] !== 0) continue;
      const range = { first: this.#cluster.first + index * this.#rangeSize, size: this.#rangeSize };
      return { range, index, tries };
    }
    return undefined;
  }

  #add(range: Ipv4Range, by: 1 | -1): void {
    const [from, until] = this.#indexesOf(range);
    for (let index = from; index < until; index++) {
      const before = this.#uses[index] ?? 0;
      const after = before + by;
      assert(after >= 0, "a range is released that was not occupied");
      this.#uses[index] = after;
      if (before === 0 || after === 0) this.#usedCount += by;
    }
  }

  /** Returns the half-open interval of the indexes that overlap the range. */
  #indexesOf({ first, size }: Ipv4Range): [number, number] {
    const from = Math.floor((first - this.#cluster.first) / this.#rangeSize);
    const until = Math.ceil((first + size - this.#cluster.first) / this.#rangeSize);
    return [Math.max(0, from), Math.min(this.size, until)];
  }
}
