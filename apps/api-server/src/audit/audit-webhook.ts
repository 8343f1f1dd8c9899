import type { Logger } from "@kintsugi/api";
import type { Clock, Random, Timer } from "@kintsugi/clock";
import type { AuditLogMode } from "./audit-log.ts";
import type { AuditMetrics } from "./audit-metrics.ts";
import type { AuditSink } from "./audit-sink.ts";

/** The server that receives events. */
export interface AuditReceiver {
  /** Posts an EventList. Rejects where the server does not answer. */
  post(body: string, signal: AbortSignal): Promise<{ readonly status: number }>;
}

export interface AuditWebhookOptions {
  readonly mode: AuditLogMode;
  /** The wait after the first failed post. Each later wait is 1.5 times as long. */
  readonly initialBackoffMs: number;
  /** Limit of waiting events in the mode "batch"; further events are lost. */
  readonly waitingEventsMax: number;
  /** Events of one post in the mode "batch". */
  readonly batchEventsMax: number;
  /** Longest time that an event waits for further events of the same post. */
  readonly batchWaitMaxMs: number;
  /** Posts per second in the mode "batch"; undefined: without a limit. */
  readonly postsPerSecond: { readonly average: number; readonly burst: number } | undefined;
}

interface Deps {
  readonly receiver: AuditReceiver;
  readonly clock: Pick<Clock, "after" | "monotonicMs" | "sleep">;
  readonly random: Pick<Random, "float">;
  readonly log: Logger;
  readonly metrics: AuditMetrics;
}

/**
 * Limit of the size of all events in transit, because a receiver that hangs must not fill the
 * memory.
 */
const waitingCharactersMax = 64 * 1024 * 1024;
/** Upstream's five tries. Each wait is 1.5 times as long, plus up to a fifth. */
const [triesMax, backoffFactor, jitter] = [5, 1.5, 0.2] as const;
/**
 * Limit of concurrent posts in the mode "batch", because a receiver that hangs must not hold more
 * posts.
 */
const postsAtOnce = 10;
/** Time after which a post without an answer is retried, as in upstream's client. */
const answerTimeoutMs = 30_000;

/** Posts events to a server, either many at a time or each before its request is answered. */
export class AuditWebhook implements AuditSink {
  readonly #deps: Deps;
  readonly #options: AuditWebhookOptions;
  #waiting: string[] = [];
  #characters = 0;
  #timer: Timer | undefined;
  readonly #posts = new Set<Promise<boolean>>();
  #sending: Promise<void> | undefined;
  #tokens: number;
  #filledMs: number;
  #isClosed = false;

  constructor(deps: Deps, options: AuditWebhookOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#tokens = options.postsPerSecond?.burst ?? 0;
    this.#filledMs = deps.clock.monotonicMs();
  }

  get isStrict(): boolean {
    return this.#options.mode === "blocking-strict";
  }

  append(line: string): Promise<boolean> {
    const { mode, waitingEventsMax, batchEventsMax, batchWaitMaxMs } = this.#options;
    const isBatch = mode === "batch";
    const isFull =
      this.#characters + line.length > waitingCharactersMax || (isBatch && this.#waiting.length >= waitingEventsMax);
    if (isFull || this.#isClosed) {
      this.#deps.metrics.lost("webhook");
      return Promise.resolve(isBatch);
    }
    this.#characters += line.length;
    if (!isBatch) return this.#post([line]);
    this.#waiting.push(line);
    if (this.#waiting.length >= batchEventsMax) this.#send();
    else this.#timer ??= this.#deps.clock.after(batchWaitMaxMs, () => this.#send());
    return Promise.resolve(true);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#send();
    await this.#sending;
    await Promise.all(this.#posts);
  }

  #send(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      // Events may have arrived at the very end, after the last check.
      if (this.#waiting.length >= this.#options.batchEventsMax) this.#send();
    });
  }

  async #sendAll(): Promise<void> {
    do {
      await this.#mayPost();
      const lines = this.#waiting.splice(0, this.#options.batchEventsMax);
      if (lines.length === 0) return;
      const post = this.#post(lines);
      this.#posts.add(post);
      void post.finally(() => this.#posts.delete(post));
    } while (this.#waiting.length >= this.#options.batchEventsMax || (this.#isClosed && this.#waiting.length > 0));
    if (this.#waiting.length > 0) {
      this.#timer ??= this.#deps.clock.after(this.#options.batchWaitMaxMs, () => this.#send());
    }
  }

  /**
   * Waits until both the number of concurrent posts and the rate of the last second are below their
   * limits.
   */
  async #mayPost(): Promise<void> {
    while (this.#posts.size >= postsAtOnce) await Promise.race(this.#posts);
    const { postsPerSecond: rate } = this.#options;
    if (rate === undefined || this.#isClosed) return;
    const { clock } = this.#deps;
    for (;;) {
      const nowMs = clock.monotonicMs();
      this.#tokens = Math.min(rate.burst, this.#tokens + ((nowMs - this.#filledMs) / 1000) * rate.average);
      this.#filledMs = nowMs;
      if (this.#tokens >= 1) break;
      await clock.sleep(((1 - this.#tokens) / rate.average) * 1000);
    }
    this.#tokens--;
  }

  async #post(lines: readonly string[]): Promise<boolean> {
    const { log, metrics, clock, random } = this.#deps;
    const items = lines.map((line) => line.trimEnd()).join(",");
    const body = `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${items}]}`;
    let because: unknown;
    let waitMs = this.#options.initialBackoffMs;
    let sent = false;
    for (let attempt = 1; attempt <= triesMax; attempt++) {
      const outcome = await this.#try(body);
      sent = outcome.sent;
      if (outcome.sent) break;
      because = outcome.because;
      // A receiver that is permanently unreachable is not retried while the server shuts down.
      if (!outcome.mayRetry || attempt === triesMax || this.#isClosed) break;
      await clock.sleep(waitMs * (1 + jitter * random.float()));
      waitMs *= backoffFactor;
    }
    for (const line of lines) {
      this.#characters -= line.length;
      if (!sent) metrics.lost("webhook");
    }
    if (!sent) log.error("audit events not posted", { events: lines.length, error: because });
    return sent;
  }

  async #try(body: string): Promise<{ sent: true } | { sent: false; mayRetry: boolean; because: unknown }> {
    const late = new AbortController();
    const timer = this.#deps.clock.after(answerTimeoutMs, () => late.abort(new Error("no answer within 30 s")));
    try {
      const { status } = await this.#deps.receiver.post(body, late.signal);
      if (status >= 200 && status < 300) return { sent: true };
      const mayRetry = status >= 500 || status === 429;
      return { sent: false, mayRetry, because: new Error(`the receiver answered with status ${status}`) };
    } catch (error) {
      return { sent: false, mayRetry: true, because: error };
    } finally {
      timer.cancel();
    }
  }
}
