import { isApiError, type Logger, type Metrics } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { BackoffOptions, Clock } from "@kintsugi/clock";
import type { Controller, Reconciler } from "../reconciler.ts";
import { WorkQueue } from "./work-queue.ts";

export interface QueueControllerDeps {
  reconciler: Reconciler;
  /**
   * The reconciler's client: when the API server is back, keys that failed in the meantime are
   * retried immediately.
   */
  client: Pick<Client, "onReturn">;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** Keys of all existing objects, iterated after a full queue had to reject some keys. */
  allKeys?: () => Iterable<string>;
}

export interface QueueControllerOptions {
  name: string;
  /** Keys reconciled at the same time. Default 5, upstream's for most controllers. */
  workers?: number;
  keysMax?: number;
  backoff?: BackoffOptions;
  /**
   * A reconcile that takes longer has its signal aborted, so that a hung call frees its worker.
   * Default 60 s.
   */
  reconcileTimeLimitMs?: number;
}

const workersDefault = 5;
const reconcileTimeLimitDefaultMs = 60_000;

/**
 * A queue of keys and the workers that reconcile them. A key that fails does not delay other keys.
 */
export class QueueController implements Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #deps: QueueControllerDeps;
  readonly #log: Logger;
  readonly #workers: number;
  readonly #reconcileTimeLimitMs: number;
  /**
   * One listener per running reconcile, so that the long-lived signal has few listeners, regardless
   * of the number of workers.
   */
  readonly #inHand = new Set<AbortController>();
  /** The rest of a pass over all keys, which adds the keys that a full queue rejected. */
  #catchUp: Iterator<string> | undefined;

  constructor(deps: QueueControllerDeps, options: QueueControllerOptions) {
    this.name = options.name;
    this.#deps = deps;
    this.#log = deps.log.child({ controller: options.name });
    this.#workers = options.workers ?? workersDefault;
    this.#reconcileTimeLimitMs = options.reconcileTimeLimitMs ?? reconcileTimeLimitDefaultMs;
    this.queue = new WorkQueue(deps, {
      name: options.name,
      ...(options.keysMax === undefined ? {} : { keysMax: options.keysMax }),
      ...(options.backoff === undefined ? {} : { backoff: options.backoff }),
    });
  }

  enqueue(key: string): void {
    this.queue.add(key);
  }

  enqueueAfter(key: string, delayMs: number): void {
    this.queue.addAfter(key, delayMs);
  }

  /** Reconciles until the signal aborts; resolves when the last reconcile has ended. */
  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const close = () => {
      this.queue.close();
      for (const limited of this.#inHand) limited.abort(signal.reason);
    };
    signal.addEventListener("abort", close, { once: true });
    const stopListening = this.#deps.client.onReturn(() => this.queue.hurry());
    try {
      await Promise.all(Array.from({ length: this.#workers }, () => this.#work(signal)));
    } finally {
      stopListening();
      signal.removeEventListener("abort", close);
    }
  }

  async #work(signal: AbortSignal): Promise<void> {
    let limited = new AbortController();
    for (let key = await this.queue.take(); key !== undefined; key = await this.queue.take()) {
      // A signal costs more than many reconciles, so the same signal is used until it has aborted.
      if (limited.signal.aborted) limited = new AbortController();
      const restMs = await this.#reconcile(key, signal, limited);
      this.queue.done(key, restMs);
      this.#refill();
    }
  }

  /** Resolves with the time for which the key rests. */
  async #reconcile(key: string, signal: AbortSignal, limited: AbortController): Promise<number> {
    this.#inHand.add(limited);
    const limitSeconds = this.#reconcileTimeLimitMs / 1000;
    const timer = this.#deps.clock.after(this.#reconcileTimeLimitMs, () => {
      limited.abort(new Error(`reconciling ${this.name} ${key} took longer than ${limitSeconds} s`));
    });
    try {
      const result = await this.#deps.reconciler.reconcile(key, limited.signal);
      this.queue.forget(key);
      if ("retryAfterMs" in result) this.queue.addAfter(key, result.retryAfterMs, result.kind);
      return result.restMs ?? 0;
    } catch (error) {
      if (signal.aborted) return 0;
      // A conflict means that another client wrote first. The next attempt reads that client's
      // write.
      const level = isApiError(error, "Conflict") ? "debug" : "error";
      this.#log[level]("reconcile failed", { key, failures: this.queue.failures(key) + 1, error });
      this.queue.retry(key);
      return 0;
    } finally {
      timer.cancel();
      this.#inHand.delete(limited);
    }
  }

  /**
   * Adds the keys that a full queue had rejected, when the queue is empty: a few keys at a time
   * from a pass over all keys.
   */
  #refill(): void {
    while (this.queue.length === 0) {
      if (!this.#catchUp && !this.queue.takeRefused()) return;
      this.#catchUp ??= this.#deps.allKeys?.()[Symbol.iterator]();
      const next = this.#catchUp?.next();
      if (!next || next.done) this.#catchUp = undefined;
      else this.queue.add(next.value);
    }
  }
}
