import type { Lease, Logger, Metrics } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { type Clock, jittered, onAbort, type Random } from "@kintsugi/clock";
import { LeaseCandidate } from "./lease-candidate.ts";

export interface LeaderElectionDeps {
  client: Pick<Client, "find" | "create" | "update">;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
  /** Ends the candidacy, or tells the work of the term to end. */
  signal: AbortSignal;
  /** Upstream's event on the Lease: reason LeaderElection, message "node-1_1f… became leader" or "… stopped leading". */
  recordEvent?: (lease: Lease, message: string) => void;
}

export interface LeaderElectionOptions {
  namespace: string;
  /** Of the Lease: "kube-scheduler". */
  name: string;
  /** Unique to this run of this process: upstream's is "<hostname>_<uuid>". */
  identity: string;
  /** Silence after which others take over. */
  leaseDurationMs: number;
  /** A leader whose last successful renewal is this old stops. Less than the lease's duration. */
  renewDeadlineMs: number;
  /** Time between tries; a candidate's are spread by up to 1.2 times it. */
  retryPeriodMs: number;
}

export interface Leadership {
  /** Whether the holder may still act: for less than the renew deadline, on its monotonic clock, after a renewal. */
  isCurrent(): boolean;
  /** Aborts when the Lease is lost; not when the holder is merely told to stop. */
  readonly lost: AbortSignal;
}

export type LeaderWork = (signal: AbortSignal, leadership: Leadership) => Promise<void>;

/** This process does not lead any more; its work has been told to stop and the process should end. */
export class LeadershipLost extends Error {
  constructor(lease: string) {
    super(`leader election lost: ${lease}`);
    this.name = "LeadershipLost";
  }
}

/**
 * Waits for the Lease, then does `work` while holding it. When the work ends, by itself or because `deps.signal` aborted,
 * the Lease is released and the call resolves.
 * @throws LeadershipLost once the Lease could not be renewed in time; the work's signal has aborted by then.
 */
export async function runAsLeader(
  deps: LeaderElectionDeps,
  options: LeaderElectionOptions,
  work: LeaderWork,
): Promise<void> {
  checkTimes(options);
  await new Election(deps, options).run(work);
}

/** What client-go's NewLeaderElector demands. */
function checkTimes({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: LeaderElectionOptions): void {
  if (leaseDurationMs <= renewDeadlineMs) throw new Error("the lease duration must be greater than the renew deadline");
  if (renewDeadlineMs <= candidateJitterFactor * retryPeriodMs) {
    throw new Error("the renew deadline must be greater than 1.2 times the retry period");
  }
}

const candidateJitterFactor = 1.2;

class Election {
  readonly #deps: LeaderElectionDeps;
  readonly #options: LeaderElectionOptions;
  readonly #candidate: LeaseCandidate;
  readonly #lease: string;

  constructor(deps: LeaderElectionDeps, options: LeaderElectionOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#lease = `${options.namespace}/${options.name}`;
    const slowPaths = deps.metrics.counter({
      name: "leader_election_slowpath_total",
      help: "Total number of slow path exercised in renewing leader leases.",
      labels: ["name"],
    });
    this.#candidate = new LeaseCandidate(
      { client: deps.client, clock: deps.clock, onSlowPath: () => slowPaths.add(1, { name: options.name }) },
      options,
    );
  }

  async run(work: LeaderWork): Promise<void> {
    const status = this.#deps.metrics.gauge({
      name: "leader_election_master_status",
      help: "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master.",
      labels: ["name"],
    });
    const labels = { name: this.#options.name };
    status.set(0, labels);
    if (!(await this.#acquire())) {
      // The last try may have succeeded without its answer arriving.
      await this.#release();
      return;
    }
    status.set(1, labels);
    this.#announce("became leader");
    try {
      await this.#serveTerm(work);
    } finally {
      status.set(0, labels);
      this.#announce("stopped leading");
    }
  }

  /** True once the candidate holds the Lease, false when the candidacy ends first. */
  async #acquire(): Promise<boolean> {
    const { log, random, signal } = this.#deps;
    log.info("waiting for leadership", { lease: this.#lease, identity: this.#options.identity });
    while (!signal.aborted) {
      if (await this.#try(this.#options.renewDeadlineMs, signal)) return true;
      await this.#pause(jittered(random, this.#options.retryPeriodMs, candidateJitterFactor), signal);
    }
    return false;
  }

  async #serveTerm(work: LeaderWork): Promise<void> {
    const workEnd = new AbortController();
    const renewEnd = new AbortController();
    const lostTerm = new AbortController();
    const leadership = { isCurrent: () => this.#remainingMs() > 0, lost: lostTerm.signal };
    const onStop = () => workEnd.abort(this.#deps.signal.reason);
    this.#deps.signal.addEventListener("abort", onStop, { once: true });
    if (this.#deps.signal.aborted) onStop();
    try {
      const working = this.#work(() => work(workEnd.signal, leadership), workEnd.signal);
      const lost = this.#renewUntilLost(renewEnd.signal);
      const first = await Promise.race([working.then(() => "worked" as const), lost]);
      renewEnd.abort(new Error("the term has ended"));
      if (first === "worked") {
        await this.#release();
        return;
      }
      if (first === "stopped") return;
      const loss = new LeadershipLost(this.#lease);
      lostTerm.abort(loss);
      workEnd.abort(loss);
      await this.#waitForLosersWork(working);
      throw loss;
    } finally {
      renewEnd.abort(new Error("the term has ended"));
      this.#deps.signal.removeEventListener("abort", onStop);
    }
  }

  async #work(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await work();
    } catch (error) {
      // Work that ends with its signal's reason has done what it was told.
      if (!signal.aborted || error !== signal.reason) throw error;
    }
  }

  /** Others may act from the end of the lease on, so by then this process has gone, whether or not its work ended cleanly. */
  async #waitForLosersWork(working: Promise<void>): Promise<void> {
    const { leaseDurationMs, renewDeadlineMs } = this.#options;
    const limit = new AbortController();
    const settled = working.catch((error: unknown) => {
      this.#deps.log.error("work of a lost term failed", { lease: this.#lease, error });
    });
    await Promise.race([settled, this.#pause(leaseDurationMs - renewDeadlineMs, limit.signal)]);
    limit.abort(new Error("the work has ended"));
  }

  async #renewUntilLost(signal: AbortSignal): Promise<"lost" | "stopped"> {
    while (!signal.aborted) {
      await this.#pause(Math.min(this.#options.retryPeriodMs, this.#remainingMs()), signal);
      if (signal.aborted) return "stopped";
      const remainingMs = this.#remainingMs();
      if (remainingMs <= 0) return this.#lost("the renew deadline has passed");
      // Half the deadline for one call, as upstream's client: a call that hangs leaves time for another.
      const limitMs = Math.min(remainingMs, this.#options.renewDeadlineMs / 2);
      if (await this.#try(limitMs, signal)) continue;
      const { holder } = this.#candidate;
      if (holder !== this.#options.identity) return this.#lost(`it is held by ${holder === "" ? "nobody" : holder}`);
    }
    return "stopped";
  }

  #lost(because: string): "lost" {
    this.#deps.log.error("leadership lost", { lease: this.#lease, because });
    return "lost";
  }

  #remainingMs(): number {
    return this.#candidate.renewedMs + this.#options.renewDeadlineMs - this.#deps.clock.monotonicMs();
  }

  /** One try, for at most `limitMs`. A failed call is an unsuccessful try. */
  async #try(limitMs: number, signal: AbortSignal): Promise<boolean> {
    const limited = this.#limited(limitMs, signal);
    try {
      return await this.#candidate.tryAcquireOrRenew(limited.signal);
    } catch (error) {
      if (!signal.aborted) this.#deps.log.warn("could not claim or renew the lease", { lease: this.#lease, error });
      return false;
    } finally {
      limited.dispose();
    }
  }

  async #release(): Promise<void> {
    const limited = this.#limited(this.#options.renewDeadlineMs);
    try {
      await this.#candidate.release(limited.signal);
    } catch (error) {
      // It runs out by itself.
      this.#deps.log.warn("could not release the lease", { lease: this.#lease, error });
    } finally {
      limited.dispose();
    }
  }

  #limited(limitMs: number, outer?: AbortSignal): { signal: AbortSignal; dispose: () => void } {
    const limited = new AbortController();
    const stopListening = outer && onAbort(outer, () => limited.abort(outer.reason));
    const timer = this.#deps.clock.after(limitMs, () => limited.abort(new Error(`no answer within ${limitMs} ms`)));
    return {
      signal: limited.signal,
      dispose: () => {
        timer.cancel();
        stopListening?.();
      },
    };
  }

  /** Sleeps, and just returns when the signal aborts. */
  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    await this.#deps.clock.sleep(delayMs, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  #announce(what: string): void {
    this.#deps.log.info(what, { lease: this.#lease, identity: this.#options.identity });
    const { lease } = this.#candidate;
    if (lease) this.#deps.recordEvent?.(lease, `${this.#options.identity} ${what}`);
  }
}
