import type { ApiServer } from "@kintsugi/api-server/factory";
import type { RequestHandler } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";

type Handle = ApiServer["handle"];
type Body = Uint8Array | AsyncIterable<Uint8Array>;

/**
 * Counts the requests under way, so that a move of the clock can wait for the end of what it began.
 */
export class Activity {
  readonly #real: Pick<Clock, "monotonicMs">;
  readonly #isAsleep: () => boolean;
  /** Requests without an answer, of this process's services and of clients outside it. */
  #inside = 0;
  #outside = 0;
  /** Pieces of streams that have not been taken by the sockets of clients outside. */
  #writing = 0;
  #events = 0;
  #piecesSentOutside = 0;
  #lastOutsideMs = -Infinity;

  /** @param deps `isAsleep` reports that the API server stands still by a fault. */
  constructor({ real, isAsleep }: { real: Pick<Clock, "monotonicMs">; isAsleep: () => boolean }) {
    this.#real = real;
    this.#isAsleep = isAsleep;
  }

  /**
   * No request waits for its answer, and all that was sent to clients outside is with them. The
   * requests at an API server that stands still have no end that could be waited for.
   */
  get isQuiet(): boolean {
    return (this.#isAsleep() || (this.#inside === 0 && this.#outside === 0)) && this.#writing === 0;
  }

  /** Grows with each request, answer and piece of a stream. */
  get events(): number {
    return this.#events;
  }

  /** The number of pieces of streams, such as events of watches, that clients outside were sent. */
  get piecesSentOutside(): number {
    return this.#piecesSentOutside;
  }

  /** The real time for which no client outside has begun or ended a request. */
  get outsideQuietMs(): number {
    return this.#outside > 0 ? 0 : this.#real.monotonicMs() - this.#lastOutsideMs;
  }

  /** The requests of this process's services. */
  inside(handler: RequestHandler): RequestHandler {
    return {
      handle: async (request) => {
        this.#inside++;
        this.#events++;
        try {
          const response = await handler.handle(request);
          return response.body instanceof Uint8Array
            ? response
            : { ...response, body: this.#counted(response.body, () => this.#events++) };
        } finally {
          this.#inside--;
          this.#events++;
        }
      },
    };
  }

  /** The requests of clients outside this process. */
  outside(handle: Handle): Handle {
    return async (request) => {
      this.#beginOutside(1);
      try {
        const response = await handle(request);
        return { ...response, body: this.#written(response.body) };
      } finally {
        this.#beginOutside(-1);
      }
    };
  }

  #beginOutside(by: 1 | -1): void {
    this.#outside += by;
    this.#events++;
    this.#lastOutsideMs = this.#real.monotonicMs();
  }

  #written(body: Body): Body {
    if (body instanceof Uint8Array) return body;
    return this.#taken(body);
  }

  async *#counted(body: AsyncIterable<Uint8Array>, count: () => void): AsyncGenerator<Uint8Array, void> {
    for await (const piece of body) {
      count();
      yield piece;
    }
  }

  /** A piece is being written until the next one is asked for. */
  async *#taken(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    for await (const piece of body) {
      this.#events++;
      this.#piecesSentOutside++;
      this.#writing++;
      try {
        yield piece;
      } finally {
        this.#writing--;
      }
    }
  }
}
