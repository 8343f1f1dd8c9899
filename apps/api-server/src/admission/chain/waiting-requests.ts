import { timedOut, tooManyRequests } from "@kintsugi/api";
import { type Clock, onAbort } from "@kintsugi/clock";

/** The request whose steps wait. When the request ends, its steps end. */
export interface WaitingRequest {
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
  /** Measured on the monotonic clock. */
  readonly deadlineMs: number;
}

/**
 * The requests that wait for asynchronous steps. Most of these requests already count as writes in
 * flight; heartbeats of nodes and connect requests do not. Together, the waiting requests get at
 * most as many slots as writes have.
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
   * Runs `work` while its request waits. The signal aborts when the client has disconnected or the
   * request's time is over; its reason is the rejection.
   * @throws ApiError TooManyRequests when no slot is free.
   */
  async run<T>(request: WaitingRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#waiting >= this.#waitingMax) throw tooManyRequests();
    const stop = new AbortController();
    const gone = () => stop.abort(timedOut("the client disconnected before the request was admitted"));
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
