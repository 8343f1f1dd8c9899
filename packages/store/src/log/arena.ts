/**
 * Kept between batches up to here; a batch with larger objects gets its own memory and gives it
 * back.
 */
const keptBytesMax = 2 ** 20;

const startBytes = 64 * 1024;

/**
 * Memory for data that lives no longer than one batch: taking it costs nothing, and the garbage
 * collector never sees it.
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

  /** All that was taken may be overwritten from now on. */
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
