import { type Clock, onAbort, type Timer, type TimerKind } from "@kintsugi/clock";
import type { Cancellation } from "./transport.ts";

/**
 * Cancels a call with its caller's signal, or when the most recent time limit expires.
 * `limit(undefined)` removes the limit; a new limit replaces the previous limit.
 */
export class CallLimits implements Cancellation {
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  readonly #stopListening: (() => void) | undefined;
  #cancelled = false;
  #reason: unknown;
  #controller: AbortController | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock, outer: AbortSignal | undefined) {
    this.#clock = clock;
    if (outer?.aborted) this.cancel(outer.reason);
    else if (outer !== undefined) this.#stopListening = onAbort(outer, () => this.cancel(outer.reason));
  }

  get cancelled(): boolean {
    return this.#cancelled;
  }

  get reason(): unknown {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cancelled) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  onCancel(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  cancel(reason: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#reason = reason;
    for (const listener of this.#listeners) listener();
    this.#controller?.abort(reason);
  }

  limit(durationMs: number | undefined, reason: () => Error, kind?: TimerKind): void {
    this.#timer?.cancel();
    this.#timer =
      durationMs === undefined ? undefined : this.#clock.after(durationMs, () => this.cancel(reason()), kind);
  }

  release(): void {
    this.#timer?.cancel();
    this.#stopListening?.();
  }
}
