import type { ApiServer } from "@kintsugi/api-server/factory";
import type { RequestHandler } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";

type Handle = ApiServer["handle"];
type Body = Uint8Array | AsyncIterable<Uint8Array>;

/**
 * Counts the requests in flight, so that a move of the clock can wait for the end of the requests
 * that it began.
 */
export class Activity {
  readonly #real: Pick<Clock, "monotonicMs">;
  readonly #isAsleep: () => boolean;
  /** Requests without an answer, of this process's services and of outside clients. */
  #inside = 0;
  #outside = 0;
  /** Pieces of streams that the sockets of outside clients have not accepted yet. */
  #writing = 0;
  #events = 0;
  #piecesSentOutside = 0;
  #lastOutsideMs = -Infinity;

  /** @param deps `isAsleep` reports that a fault has paused the API server. */
  constructor({ real, isAsleep }: { real: Pick<Clock, "monotonicMs">; isAsleep: () => boolean }) {
    this.#real = real;
    this.#isAsleep = isAsleep;
  }

  /**
   * True when all requests are answered, and outside clients have received everything that was
   * sent. Requests at a paused API server are ignored, because they do not end.
   */
  get isQuiet(): boolean {
    return (this.#isAsleep() || (this.#inside === 0 && this.#outside === 0)) && this.#writing === 0;
  }

  /** Increases with each request, answer and piece of a stream. */
  get events(): number {
    return this.#events;
  }

  /** The number of pieces of streams, such as watch events, that were sent to outside clients. */
  get piecesSentOutside(): number {
    return this.#piecesSentOutside;
  }

  /** The real time for which no outside client has begun or ended a request. */
  get outsideQuietMs(): number {
    return this.#outside > 0 ? 0 : this.#real.monotonicMs() - this.#lastOutsideMs;
  }

  /** Counts the requests of this process's services. */
  inside(handler: RequestHandler): RequestHandler {
    return {
      handle: async (request) => {
        this.#inside++;
        this.#events++;
        try {
          const response = await handler.handle(request);
          return response.body instanceof Uint8Array
            ? response
            : { ...response, body: this.#countPieces(response.body, () => this.#events++) };
        } finally {
          this.#inside--;
          this.#events++;
        }
      },
    };
  }

  /** Counts work of this process's services that takes real time without a request. */
  readonly counted = async <Result>(work: Promise<Result>): Promise<Result> => {
    this.#inside++;
    this.#events++;
    try {
      return await work;
    } finally {
      this.#inside--;
      this.#events++;
    }
  };

  /** Counts the requests of outside clients. */
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

  async *#countPieces(body: AsyncIterable<Uint8Array>, count: () => void): AsyncGenerator<Uint8Array, void> {
    for await (const piece of body) {
      count();
      yield piece;
    }
  }

  /** A piece is being written until the next is requested. */
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
