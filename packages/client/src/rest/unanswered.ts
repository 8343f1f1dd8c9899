import { type Cancellation, ConnectionFault } from "./transport.ts";

/** A request on its way. */
export interface UnansweredRequest {
  readonly sinceMs: number;
  readonly cancellation: Cancellation;
  /**
   * True when a repetition is the same as one request: it only reads, or cannot have been seen yet.
   */
  isRepeatable: boolean;
}

/** One connection is silent, which does not mean that the server is: others may be answered. */
export class SilentConnection extends ConnectionFault {}

/**
 * The requests of one client that wait for an answer. A link that was cut leaves connections that
 * are whole and silent: TCP repeats lost packets after ever longer pauses, so when the link is
 * mended, they go on being silent for up to as long as it was cut. Upstream's kubelet closes its
 * connections for that reason when its heartbeats fail.
 */
export class Unanswered {
  readonly #requests = new Set<UnansweredRequest>();

  add(request: UnansweredRequest): void {
    this.#requests.add(request);
  }

  delete(request: UnansweredRequest): void {
    this.#requests.delete(request);
  }

  /**
   * Ends those that can be repeated and are older than `missedMs`, when the server was last missed.
   */
  giveUpStuck(missedMs: number): void {
    for (const { sinceMs, cancellation, isRepeatable } of this.#requests) {
      if (isRepeatable && sinceMs < missedMs) {
        cancellation.cancel(new SilentConnection("no answer, while others are answered", { sent: false }));
      }
    }
  }
}
