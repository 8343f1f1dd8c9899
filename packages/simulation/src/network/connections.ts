import type { HandlerResponse } from "@kintsugi/client";
import type { StreamWitness } from "../invariants/observed/seen-request.ts";

/**
 * A server's open connections to its clients. When its process crashes, the kernel resets all of
 * them.
 */
export class Connections {
  readonly #resets = new Set<(error: Error) => void>();

  /**
   * @param witnesses of the response, if it is a stream; more may be added until the response
   * arrives.
   */
  carry(answer: Promise<HandlerResponse>, witnesses: readonly StreamWitness[] = []): Promise<HandlerResponse> {
    return this.#until(answer).then((response) => {
      const { status, headers, body } = response;
      return body instanceof Uint8Array ? response : { status, headers, body: this.#stream(body, witnesses) };
    });
  }

  reset(): void {
    const error = new Error("connection reset");
    for (const reset of this.#resets) reset(error);
    this.#resets.clear();
  }

  async *#stream(
    body: AsyncIterable<Uint8Array>,
    witnesses: readonly StreamWitness[],
  ): AsyncGenerator<Uint8Array, void> {
    const chunks = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        for (const witness of witnesses) witness.awaited();
        const { done, value } = await this.#until(chunks.next());
        if (done) return;
        for (const witness of witnesses) witness.sent();
        yield value;
      }
    } finally {
      for (const witness of witnesses) witness.ended();
      // A client that disconnects ends the stream; a dead server does not detect it, and no caller
      // awaits that.
      void chunks.return?.()?.catch(() => {});
    }
  }

  #until<T>(coming: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const reset = (error: Error) => reject(error);
      this.#resets.add(reset);
      coming.then(
        (value) => {
          this.#resets.delete(reset);
          resolve(value);
        },
        (error: Error) => {
          this.#resets.delete(reset);
          reject(error);
        },
      );
    });
  }
}
