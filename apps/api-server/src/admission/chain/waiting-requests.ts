import { timedOut, tooManyRequests } from "@kintsugi/api";
import { type Clock, onAbort } from "@kintsugi/clock";

/** The request whose steps wait: when it ends, they end. */
export interface WaitingRequest {
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** The monotonic clock counts it. */
  readonly deadlineMs: number;
}

const retryAfterSeconds = 1;

/**
 * The requests that wait for asynchronous steps. Most of them count as writes in flight already,
 * but writes that keep nodes alive and connections do not: all together get no more room than
 * writes have.
 */
export class WaitingRequests {
  readonly #clock: Clock;
  readonly #waitingMax: number;
  #waiting = 0;

  constructor(deps: { clock: Clock }, options: { writesInFlightMax: number }) {
    this.#clock = deps.clock;
    this.#waitingMax = options.writesInFlightMax;
  }

  /**
   * Lets `work` wait. Its signal aborts when the client has gone, or the time of the request is
   * over; the reason is the refusal.
   * @throws ApiError TooManyRequests when there is no room.
   */
  async run<T>(request: WaitingRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#waiting >= this.#waitingMax) {
      throw tooManyRequests("Too many requests, please try again later.", retryAfterSeconds);
    }
    const stop = new AbortController();
    const gone = () => stop.abort(timedOut("the client has gone before the request was admitted"));
    const late = () => stop.abort(timedOut("request did not complete within the allotted timeout"));
    const timer = this.#clock.after(request.deadlineMs - this.#clock.monotonicMs(), late);
    const stopListening = onAbort(request.signal, gone);
    if (request.signal.aborted) gone();
    this.#waiting++;
    try {
      return await work(stop.signal);
    } finally {
      this.#waiting--;
      timer.cancel();
      stopListening();
    }
  }
}
