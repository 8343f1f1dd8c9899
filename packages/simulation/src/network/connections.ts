import type { Duplex } from "node:stream";
import type { StreamWitness } from "../invariants/observed/seen-request.ts";

/**
 * A server's open connections to its clients. When its process crashes, the kernel resets all of
 * them.
 */
export class Connections {
  readonly #resets = new Set<(error: Error) => void>();
  readonly #resetError: () => Error;

  /** @param resetError makes the error that the clients of a reset connection get. */
  constructor(resetError: () => Error = () => new Error("connection reset")) {
    this.#resetError = resetError;
  }

  /**
   * @param witnesses of the response, if it is a stream; more may be added until the response
   * arrives.
   */
  carry<Answer extends { readonly body: Uint8Array | AsyncIterable<Uint8Array> }>(
    answer: Promise<Answer>,
    witnesses: readonly StreamWitness[] = [],
  ): Promise<Answer> {
    return this.#until(answer).then((response) => {
      const { body } = response;
      return body instanceof Uint8Array ? response : { ...response, body: this.#stream(body, witnesses) };
    });
  }

  /** A connection that no longer carries requests, such as that of an exec. */
  join(socket: Pick<Duplex, "destroy" | "once">): void {
    const reset = () => void socket.destroy();
    this.#resets.add(reset);
    socket.once("close", () => this.#resets.delete(reset));
  }

  reset(): void {
    const error = this.#resetError();
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
