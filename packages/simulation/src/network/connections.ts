import type { Duplex } from "node:stream";
import type { StreamWitness } from "../invariants/observed/seen-request.ts";

/** A response on a connection. */
interface Carried {
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** A connection that no longer carries requests, such as the connection of an exec. */
  readonly tunnel?: { readonly socket: Pick<Duplex, "destroy" | "once"> };
}

interface ServerProcess {
  /** The error of the server's connections after its death; absent while the server runs. */
  resetBy?: Error;
}

/**
 * A server's open connections to its clients. When its process crashes, the kernel resets all of
 * them.
 */
export class Connections {
  readonly #resets = new Set<(error: Error) => void>();
  /** The process that serves new connections; a connection keeps the process that accepted it. */
  #process: ServerProcess = {};
  readonly #resetError: () => Error;

  /** @param resetError makes the error that the clients of a reset connection get. */
  constructor(resetError: () => Error = () => new Error("connection reset")) {
    this.#resetError = resetError;
  }

  /**
   * @param witnesses of the response, if it is a stream; more may be added until the response
   * arrives.
   */
  carry<Answer extends Carried>(answer: Promise<Answer>, witnesses: readonly StreamWitness[] = []): Promise<Answer> {
    const process = this.#process;
    return this.#until(answer, process).then((response) => {
      const { body, tunnel } = response;
      if (tunnel !== undefined) this.#join(tunnel.socket, process);
      return body instanceof Uint8Array ? response : { ...response, body: this.#stream(body, process, witnesses) };
    });
  }

  reset(): void {
    const error = this.#resetError();
    this.#process.resetBy = error;
    this.#process = {};
    for (const reset of this.#resets) reset(error);
    this.#resets.clear();
  }

  #join(socket: Pick<Duplex, "destroy" | "once">, { resetBy }: ServerProcess): void {
    const reset = () => void socket.destroy();
    // The process died after it had answered.
    if (resetBy !== undefined) return reset();
    this.#resets.add(reset);
    socket.once("close", () => this.#resets.delete(reset));
  }

  async *#stream(
    body: AsyncIterable<Uint8Array>,
    process: ServerProcess,
    witnesses: readonly StreamWitness[],
  ): AsyncGenerator<Uint8Array, void> {
    const chunks = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        for (const witness of witnesses) witness.awaited();
        const { done, value } = await this.#until(chunks.next(), process);
        if (done) return;
        for (const witness of witnesses) witness.sent();
        yield value;
      }
    } finally {
      for (const witness of witnesses) witness.ended();
      // A client that disconnects ends the stream. A dead server does not detect the end, and
      // callers do not await it.
      void chunks.return?.()?.catch(() => {});
    }
  }

  #until<T>(coming: Promise<T>, { resetBy }: ServerProcess): Promise<T> {
    if (resetBy !== undefined) {
      // The client was busy with the previous chunk when the server died.
      coming.catch(() => {});
      return Promise.reject(resetBy);
    }
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
