import type { Metrics } from "@kintsugi/api";
import { type BackoffOptions, backoffDelayMs, type Clock, type Timer, type TimerKind } from "@kintsugi/clock";
import { type WorkQueueMetrics, workQueueMetrics } from "./work-queue-metrics.ts";

export interface WorkQueueDeps {
  clock: Clock;
  metrics: Metrics;
}

export interface WorkQueueOptions {
  /** The label `name` of the queue's metrics. */
  name: string;
  /**
   * Keys that may wait, now or for a later time. Keys are unique, so this is a limit on objects,
   * not on events. 200,000 is more than the pods that one API server of this project stores.
   * Default 200,000.
   */
  keysMax?: number;
  /**
   * Delays between attempts of a key that fails. Default 5 ms, doubling, at most 1000 s, as in
   * client-go.
   */
  backoff?: BackoffOptions;
}

const keysMaxDefault = 200_000;
/**
 * Delay between two retries of the same failing key by `hurry`: the first retry is immediate, then
 * this delay applies, doubled each time.
 */
const hurryInitialMs = 1000;
const backoffDefault: BackoffOptions = { initialMs: 5, maxMs: 1_000_000, factor: 2 };
/** Interval at which the gauges of running work are updated; client-go's period. */
const gaugeIntervalMs = 500;

// A key is in at most one of these places, and may be marked dirty while it is processed:
//
//   add ──► waiting ──take──► processing ──done──► (gone)
//   addAfter ─► delayed ─due─► waiting      │ add meanwhile: dirty
//                                           └──done──► waiting
//
// (A key that rests after it is done counts as processed until the rest has ended.) (A delayed key
// may also be added immediately; it is then processed again at its later time.)

interface Failing {
  count: number;
  /** The time of the next attempt. */
  dueMs: number;
  hurried: number;
}

/**
 * Keys that need work. Each key is queued at most once, and two workers never process the same key
 * at the same time, as in client-go.
 */
export class WorkQueue {
  readonly name: string;
  readonly #clock: Clock;
  readonly #metrics: WorkQueueMetrics;
  readonly #keysMax: number;
  readonly #backoff: BackoffOptions;
  /** Waiting keys in order; keys before `#head` have been taken. */
  #order: string[] = [];
  #head = 0;
  /** Waiting keys, with the monotonic time at which each began to wait. */
  readonly #waiting = new Map<string, number>();
  readonly #processing = new Map<string, number>();
  /** Keys that are done, with the timer that ends the rest of each. */
  readonly #resting = new Map<string, Timer>();
  readonly #dirty = new Set<string>();
  readonly #delayed = new Map<string, { dueMs: number; timer: Timer }>();
  readonly #failures = new Map<string, Failing>();
  readonly #takers: ((key: string | undefined) => void)[] = [];
  #gaugeTimer: Timer | undefined;
  #refused = false;
  #closed = false;

  constructor(deps: WorkQueueDeps, options: WorkQueueOptions) {
    this.name = options.name;
    this.#clock = deps.clock;
    this.#metrics = workQueueMetrics(deps.metrics);
    this.#keysMax = options.keysMax ?? keysMaxDefault;
    this.#backoff = options.backoff ?? backoffDefault;
  }

  /** Keys that are being processed, or that will be processed without a further change. */
  unfinished(): string[] {
    return [...new Set([...this.#waiting.keys(), ...this.#processing.keys(), ...this.#dirty, ...this.#delayed.keys()])];
  }

  /** Keys that wait for a worker. */
  get length(): number {
    return this.#waiting.size;
  }

  /**
   * Marks the key as needing work. A key that is being processed is processed once more afterwards.
   */
  add(key: string): void {
    if (this.#closed || this.#waiting.has(key) || this.#dirty.has(key)) return;
    if (!this.#hasRoom()) return;
    this.#metrics.adds.add(1, { name: this.name });
    if (this.#processing.has(key) || this.#resting.has(key)) this.#dirty.add(key);
    else this.#push(key);
  }

  /** Adds the key `delayMs` from now. Of several delays of one key, the earliest applies. */
  addAfter(key: string, delayMs: number, kind?: TimerKind): void {
    if (this.#closed) return;
    this.#metrics.retries.add(1, { name: this.name });
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const dueMs = this.#clock.monotonicMs() + delayMs;
    const pending = this.#delayed.get(key);
    if (pending && pending.dueMs <= dueMs) return;
    if (!pending && !this.#hasRoom()) return;
    pending?.timer.cancel();
    const fire = () => {
      this.#delayed.delete(key);
      this.add(key);
    };
    const timer = this.#clock.after(delayMs, fire, kind);
    this.#delayed.set(key, { dueMs, timer });
  }

  /**
   * Adds the key after its back-off, which grows with every retry until `forget`. A key that was
   * added before its turn and fails once more keeps its turn. client-go postpones that turn, so in
   * an outage with many events the delay would be waited many times over.
   */
  retry(key: string): void {
    const nowMs = this.#clock.monotonicMs();
    const last = this.#failures.get(key);
    if (last && nowMs < last.dueMs) {
      this.addAfter(key, last.dueMs - nowMs);
      return;
    }
    const count = (last?.count ?? 0) + 1;
    const delayMs = backoffDelayMs(count, this.#backoff);
    // A key beyond the limit keeps its first delay, so its retries do not slow down.
    if (last || this.#failures.size < this.#keysMax)
      this.#failures.set(key, { count, dueMs: nowMs + delayMs, hurried: last?.hurried ?? 0 });
    this.addAfter(key, delayMs);
  }

  /**
   * Retries all failed keys now, because the likely cause has ended, such as an API server that was
   * down. A key that fails again, or that caused the outage, is retried after ever longer delays,
   * regardless of the number of calls.
   */
  hurry(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [key, failing] of this.#failures) {
      const delayMs = backoffDelayMs(failing.hurried, { ...this.#backoff, initialMs: hurryInitialMs });
      if (nowMs + delayMs >= failing.dueMs) continue;
      failing.dueMs = nowMs + delayMs;
      failing.hurried++;
      this.addAfter(key, delayMs);
    }
  }

  /** The key's next failure counts as its first failure again. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** The number of consecutive failures of the key. */
  failures(key: string): number {
    return this.#failures.get(key)?.count ?? 0;
  }

  /**
   * The next key, which belongs to this caller until `done`; undefined once the queue is closed.
   * Waits for a key.
   */
  take(): Promise<string | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    const key = this.#shift();
    if (key !== undefined) return Promise.resolve(key);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  /** The worker has finished with the key, which is not handed out again for `restMs`. */
  done(key: string, restMs = 0): void {
    const startedMs = this.#processing.get(key);
    if (startedMs === undefined) return;
    this.#processing.delete(key);
    const tookSeconds = (this.#clock.monotonicMs() - startedMs) / 1000;
    this.#metrics.workDuration.observe(tookSeconds, { name: this.name });
    if (restMs > 0 && !this.#closed) this.#rest(key, restMs);
    else this.#pushIfDirty(key);
    if (this.#processing.size === 0) this.#stopGauges();
  }

  #rest(key: string, restMs: number): void {
    const timer = this.#clock.after(restMs, () => {
      this.#resting.delete(key);
      this.#pushIfDirty(key);
    });
    this.#resting.set(key, timer);
  }

  #pushIfDirty(key: string): void {
    if (this.#dirty.delete(key) && !this.#closed) this.#push(key);
  }

  /** Returns true when keys were rejected because the queue was full since the last call. */
  takeRefused(): boolean {
    const refused = this.#refused;
    this.#refused = false;
    return refused;
  }

  /** Stops handing out keys, drops the waiting keys and cancels every timer. */
  close(): void {
    this.#closed = true;
    for (const { timer } of this.#delayed.values()) timer.cancel();
    this.#delayed.clear();
    for (const timer of this.#resting.values()) timer.cancel();
    this.#resting.clear();
    this.#waiting.clear();
    this.#dirty.clear();
    this.#order = [];
    this.#head = 0;
    this.#stopGauges();
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }

  #hasRoom(): boolean {
    if (this.#waiting.size + this.#dirty.size + this.#delayed.size < this.#keysMax) return true;
    this.#refused = true;
    this.#metrics.refused.add(1, { name: this.name });
    return false;
  }

  #push(key: string): void {
    this.#waiting.set(key, this.#clock.monotonicMs());
    this.#order.push(key);
    const taker = this.#takers.shift();
    if (taker) taker(this.#shift());
    else this.#measureDepth();
  }

  #shift(): string | undefined {
    const key = this.#order[this.#head];
    if (key === undefined) return undefined;
    this.#head++;
    if (this.#head === this.#order.length) {
      this.#order = [];
      this.#head = 0;
    } else if (this.#head >= 1024 && this.#head * 2 >= this.#order.length) {
      this.#order = this.#order.slice(this.#head);
      this.#head = 0;
    }
    const nowMs = this.#clock.monotonicMs();
    this.#metrics.queueDuration.observe((nowMs - (this.#waiting.get(key) ?? nowMs)) / 1000, { name: this.name });
    this.#waiting.delete(key);
    this.#processing.set(key, nowMs);
    this.#measureDepth();
    this.#startGauges();
    return key;
  }

  #measureDepth(): void {
    this.#metrics.depth.set(this.#waiting.size, { name: this.name });
  }

  #startGauges(): void {
    if (this.#gaugeTimer) return;
    const measure = () => {
      this.#gaugeTimer = undefined;
      this.#measureWork();
      this.#startGauges();
    };
    this.#gaugeTimer = this.#clock.after(gaugeIntervalMs, measure, "routine");
  }

  #stopGauges(): void {
    this.#gaugeTimer?.cancel();
    this.#gaugeTimer = undefined;
    this.#measureWork();
  }

  #measureWork(): void {
    const nowMs = this.#clock.monotonicMs();
    let totalMs = 0;
    let longestMs = 0;
    for (const startedMs of this.#processing.values()) {
      totalMs += nowMs - startedMs;
      longestMs = Math.max(longestMs, nowMs - startedMs);
    }
    this.#metrics.unfinishedWork.set(totalMs / 1000, { name: this.name });
    this.#metrics.longestRunning.set(longestMs / 1000, { name: this.name });
  }
}
