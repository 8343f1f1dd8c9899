/**
 * Memory up to this size is kept between batches. A batch with larger objects allocates its own
 * memory and frees it.
 */
const keptBytesMax = 2 ** 20;

const startBytes = 64 * 1024;

/**
 * Memory for data that lives no longer than one batch. Allocation takes no time, and the garbage
 * collector does not manage this memory.
 */
export class Arena {
  #buffer = Buffer.allocUnsafeSlow(startBytes);
  #used = 0;

  /** Uninitialised bytes, valid until `reset`. */
  take(byteLength: number): Buffer {
    if (this.#used + byteLength > this.#buffer.length) this.#grow(byteLength);
    const start = this.#used;
    this.#used += byteLength;
    return this.#buffer.subarray(start, this.#used);
  }

  /** All allocated memory may be overwritten from now on. */
  reset(): void {
    if (this.#buffer.length > keptBytesMax) this.#buffer = Buffer.allocUnsafeSlow(startBytes);
    this.#used = 0;
  }

  #grow(byteLength: number): void {
    const doubled = Math.min(keptBytesMax, this.#buffer.length * 2);
    this.#buffer = Buffer.allocUnsafeSlow(Math.max(doubled, byteLength));
    this.#used = 0;
  }
}
