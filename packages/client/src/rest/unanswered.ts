import { type Cancellation, ConnectionFault } from "./transport.ts";

/** A request in flight. */
export interface UnansweredRequest {
  readonly sinceMs: number;
  readonly cancellation: Cancellation;
  /**
   * True when repeating the request is safe: it only reads, or the server cannot have seen it yet.
   */
  isRepeatable: boolean;
}

/**
 * One silent connection does not mean that the server is silent: other connections may be answered.
 */
export class SilentConnection extends ConnectionFault {}

/**
 * The requests of one client that wait for an answer. A link that was cut leaves connections that
 * are intact but silent. TCP repeats lost packets after ever longer pauses, so the connections
 * remain silent after the link is restored, for a time that may be as long as the interruption.
 * Upstream's kubelet closes its connections for that reason when its heartbeats fail.
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
   * Ends the requests that can be repeated and were sent before `missedMs`, the last time at which
   * the server did not answer.
   */
  giveUpStuck(missedMs: number): void {
    for (const { sinceMs, cancellation, isRepeatable } of this.#requests) {
      if (isRepeatable && sinceMs < missedMs) {
        cancellation.cancel(new SilentConnection("no response, although other requests are answered", { sent: false }));
      }
    }
  }
}
