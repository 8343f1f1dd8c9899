/** A body that is written frame by frame while it is read. */
export class FrameStream implements AsyncIterable<Uint8Array> {
  readonly #frames: Uint8Array[] = [];
  readonly #afterwards: (() => void)[] = [];
  #over = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  send(frame: unknown): void {
    if (this.#over) return;
    this.#frames.push(Buffer.from(`${JSON.stringify(frame)}\n`));
    this.#wake?.();
  }

  end(error?: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#error = error;
    this.#wake?.();
    for (const call of this.#afterwards) call();
  }

  whenOver(call: () => void): void {
    this.#afterwards.push(call);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) {
        const frame = this.#frames.shift();
        if (frame !== undefined) {
          yield frame;
          continue;
        }
        if (this.#error !== undefined) throw this.#error;
        if (this.#over) return;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.end();
    }
  }
}
