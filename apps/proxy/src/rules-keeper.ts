import type { Logger } from "@kintsugi/api";
import { backoffDelayMs, type Clock, Waiter } from "@kintsugi/clock";
import type { Nft } from "./nft/nft.ts";
import type { Plan } from "./plan/plan-rules.ts";
import type { ProxyMetrics } from "./proxy-metrics.ts";
import type { Ruleset } from "./ruleset/ruleset.ts";
import { anotherTable, changes, type Transaction, wholeTable } from "./ruleset/transaction.ts";

export interface RulesKeeperDeps {
  clock: Clock;
  log: Logger;
  nft: Nft;
  metrics: ProxyMetrics;
  /** Returns the desired rules. */
  plan(): Plan;
  /** Called after each time that the rules of `plan` were applied. */
  onSynced(plan: Plan): void;
}

export interface RulesKeeperOptions {
  /** The shortest time between two syncs. */
  minSyncPeriodMs: number;
  /** The longest time between two syncs. */
  syncPeriodMs: number;
  /**
   * Interval at which the table is written as a whole, which repairs changes by other programs.
   * Default 1 h, upstream's value.
   */
  fullSyncPeriodMs: number;
}

/**
 * Kernels before 6.2 count a chain as used for a moment after the rules that led to it were
 * deleted; upstream waits for the same time.
 */
const staleChainMs = 1_000;
const backoff = { initialMs: 250, factor: 2, maxMs: 30_000 };

/**
 * Keeps the kernel's table as planned: all of it at the start, then the changes, and periodically
 * all of it.
 */
export class RulesKeeper {
  readonly #deps: RulesKeeperDeps;
  readonly #options: RulesKeeperOptions;
  readonly #waiter = new Waiter();
  /** The contents of the table; undefined while they are not certain. */
  #applied: Ruleset | undefined;
  /** Chains to be deleted, with the time since which each is unused. */
  readonly #stale = new Map<string, number>();
  #failures = 0;
  #queuedAtMs: number | undefined;
  #startedAtMs = Number.NEGATIVE_INFINITY;
  #fullAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: RulesKeeperDeps, options: RulesKeeperOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /**
   * The monotonic time at which the oldest change that is not in the table yet arrived; undefined
   * when no change waits.
   */
  get waitingSinceMs(): number | undefined {
    return this.#queuedAtMs;
  }

  /** Called after a change. The rules are made again as soon as allowed. */
  queue(): void {
    this.#queuedAtMs ??= this.#deps.clock.monotonicMs();
    this.#deps.metrics.queued(this.#deps.clock.nowMs());
    this.#waiter.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    this.queue();
    while (!signal.aborted) {
      const waitMs = this.#dueAtMs() - clock.monotonicMs();
      if (waitMs <= 0) {
        await this.#sync();
        continue;
      }
      await this.#waiter.waitAtMost(waitMs, clock, signal);
    }
  }

  #dueAtMs(): number {
    const { minSyncPeriodMs, syncPeriodMs } = this.#options;
    if (this.#failures > 0)
      return this.#startedAtMs + Math.max(minSyncPeriodMs, backoffDelayMs(this.#failures, backoff));
    return this.#startedAtMs + (this.#queuedAtMs === undefined ? syncPeriodMs : minSyncPeriodMs);
  }

  async #sync(): Promise<void> {
    const { clock, log, metrics, nft } = this.#deps;
    const startedAtMs = clock.monotonicMs();
    const queuedAtMs = this.#queuedAtMs;
    this.#startedAtMs = startedAtMs;
    this.#queuedAtMs = undefined;
    metrics.started();
    const plan = this.#deps.plan();
    const wanted = plan.ruleset;
    if (startedAtMs - this.#fullAtMs >= this.#options.fullSyncPeriodMs) this.#applied = undefined;
    const before = this.#applied;
    try {
      const removable = this.#removableChains(wanted, startedAtMs);
      const transaction = await this.#transaction(wanted, removable);
      if (transaction.script !== "") await nft.apply(transaction.script);
      this.#noteStale(transaction, removable, startedAtMs);
    } catch (error) {
      // The table's contents are now unknown; earlier rules continue to work.
      this.#applied = undefined;
      this.#failures++;
      this.#queuedAtMs ??= queuedAtMs ?? startedAtMs;
      metrics.failed();
      log.error("rules cannot be written", { error, failures: this.#failures });
      return;
    }
    this.#failures = 0;
    if (before === undefined) this.#fullAtMs = startedAtMs;
    this.#applied = wanted;
    const kind = before === undefined ? "full" : "partial";
    const tookMs = clock.monotonicMs() - startedAtMs;
    metrics.synced({ kind, tookMs, nowMs: clock.nowMs() });
    metrics.withoutLocalEndpoints(plan.withoutLocalEndpoints);
    if (kind === "full")
      log.info("rules written", {
        chains: wanted.chains.size,
        endpoints: plan.endpointCount,
        tookMs: Math.round(tookMs),
      });
    this.#deps.onSynced(plan);
  }

  /**
   * Writes the changes; if that fails, the whole table; and if that also fails, replaces the table.
   */
  async #transaction(wanted: Ruleset, removable: readonly string[]): Promise<Transaction> {
    if (this.#applied !== undefined) return changes(this.#applied, wanted, removable);
    if (this.#failures > 1) return anotherTable(wanted);
    return wholeTable(wanted, await this.#deps.nft.present());
  }

  #removableChains(wanted: Ruleset, nowMs: number): string[] {
    if (this.#applied === undefined) this.#stale.clear();
    for (const name of wanted.chains.keys()) this.#stale.delete(name);
    return [...this.#stale].filter(([, sinceMs]) => nowMs - sinceMs >= staleChainMs).map(([name]) => name);
  }

  #noteStale(transaction: Transaction, removed: readonly string[], nowMs: number): void {
    for (const name of removed) this.#stale.delete(name);
    for (const name of transaction.staleChains) this.#stale.set(name, nowMs);
  }
}
