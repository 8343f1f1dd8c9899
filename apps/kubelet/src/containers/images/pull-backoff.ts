import { backoffDelayMs, type Clock, forgetOldest } from "@kintsugi/clock";

export interface PullBackoffOptions {
  /** Default 10 s. */
  initialMs: number;
  /** Default 300 s. */
  maxMs: number;
}

/**
 * Limit of images whose failures are remembered; the oldest are evicted first. A node does not have
 * more failing images than this.
 */
const entriesMax = 1000;

interface Entry {
  failures: number;
  failedAtMs: number;
  error: string;
}

/** Delays another pull of an image that failed, per pod and image: 10 s, doubled up to 300 s. */
export class PullBackoff {
  readonly #clock: Clock;
  readonly #options: PullBackoffOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(deps: { clock: Clock }, options: PullBackoffOptions) {
    this.#clock = deps.clock;
    this.#options = options;
  }

  /** Returns the remaining back-off of an image, with the error that caused it. */
  find(key: string): { remainingMs: number; error: string } | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    const delayMs = backoffDelayMs(entry.failures, { ...this.#options, factor: 2 });
    const remainingMs = entry.failedAtMs + delayMs - this.#clock.monotonicMs();
    return remainingMs > 0 ? { remainingMs, error: entry.error } : undefined;
  }

  /** Reports whether a failure of the image is remembered, regardless of its age. */
  knows(key: string): boolean {
    return this.#entries.has(key);
  }

  failed(key: string, error: string): void {
    const failures = (this.#entries.get(key)?.failures ?? 0) + 1;
    this.#entries.delete(key);
    this.#entries.set(key, { failures, failedAtMs: this.#clock.monotonicMs(), error });
    forgetOldest(this.#entries, entriesMax);
  }

  succeeded(key: string): void {
    this.#entries.delete(key);
  }
}
