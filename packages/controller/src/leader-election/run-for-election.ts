import type { Gauge, Lease, Logger, Metrics } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { type Clock, jittered, type Random, Waiter } from "@kintsugi/clock";
import { LeaseContender } from "./lease-contender.ts";
import { linkAbort } from "./link-abort.ts";

export interface LeaderElectionDeps {
  client: Pick<Client, "find" | "create" | "update" | "onReturn">;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
  /**
   * Upstream's event on the Lease: reason LeaderElection, message "node-1_1f… became leader" or "…
   * stopped leading".
   */
  recordEvent?: (lease: Lease, message: string) => void;
}

export interface LeaderElectionOptions {
  namespace: string;
  /** The name of the Lease: "kube-scheduler". */
  name: string;
  /** Unique to this run of this process, such as upstream's "<hostname>_<uuid>". */
  identity: string;
  /** Silence after which other candidates take over. */
  leaseDurationMs: number;
  /**
   * A leader whose last successful renewal is this old stops. The deadline is shorter than the
   * lease's duration.
   */
  renewDeadlineMs: number;
  /** Time between attempts. A candidate's attempts are spread by a factor of up to 1.2. */
  retryPeriodMs: number;
}

export interface Leadership {
  /**
   * Returns true while the holder may act: less than the renew deadline, on its monotonic clock,
   * after a renewal.
   */
  isCurrent(): boolean;
  /** Aborts when the Lease is lost, but not when the holder is merely stopped. */
  readonly lost: AbortSignal;
}

export type LeaderWork = (signal: AbortSignal, leadership: Leadership) => Promise<void>;

/**
 * Waits for the Lease, then runs `work` while it holds the Lease. When the work ends, by itself or
 * because `signal` aborted, the Lease is released and the call resolves.
 * @throws LeadershipLost once the Lease could not be renewed in time; the work's signal has aborted
 * by then.
 */
export type Lead = (signal: AbortSignal, work: LeaderWork) => Promise<void>;

/** This process is no longer the leader, and its work has been stopped. */
export class LeadershipLost extends Error {
  /** False if work of the term may still continue, in which case the process should exit. */
  readonly workHasEnded: boolean;

  constructor(lease: string, { workHasEnded }: { workHasEnded: boolean }) {
    super(`leader election lost: ${lease}${workHasEnded ? "" : ", and the work of the term does not end"}`);
    this.name = "LeadershipLost";
    this.workHasEnded = workHasEnded;
  }
}

/**
 * Runs one candidacy after the other: a process that has lost a term and has stopped all of its
 * work is a candidate again. A candidacy prepares its work, and calls `lead` once. It ends with the
 * error that `lead` throws.
 *
 * Upstream's process exits instead, and the next process waits for the Lease's whole duration
 * because it has never seen the Lease. This process has seen the Lease: if the API server was down
 * for longer than the duration and the Lease is unchanged, another process cannot have led in the
 * meantime, so this process leads again immediately.
 * @throws LeadershipLost when the work of a lost term did not end.
 */
export async function runForElection(
  deps: LeaderElectionDeps,
  options: LeaderElectionOptions,
  candidacy: (lead: Lead) => Promise<void>,
): Promise<void> {
  checkTimes(options);
  const election = new Election(deps, options);
  for (;;) {
    try {
      return await candidacy((signal, work) => election.lead(signal, work));
    } catch (error) {
      if (!(error instanceof LeadershipLost && error.workHasEnded)) throw error;
    }
  }
}

/** Checks the times as client-go's NewLeaderElector does. */
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
  readonly #candidate: LeaseContender;
  readonly #lease: string;
  readonly #status: Gauge;
  readonly #waiter = new Waiter();

  constructor(deps: LeaderElectionDeps, options: LeaderElectionOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#lease = `${options.namespace}/${options.name}`;
    this.#status = deps.metrics.gauge({
      name: "leader_election_master_status",
      help: "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master.",
      labels: ["name"],
    });
    const slowPaths = deps.metrics.counter({
      name: "leader_election_slowpath_total",
      help: "Total number of slow path exercised in renewing leader leases.",
      labels: ["name"],
    });
    this.#candidate = new LeaseContender(
      { client: deps.client, clock: deps.clock, onSlowPath: () => slowPaths.add(1, { name: options.name }) },
      options,
    );
  }

  async lead(signal: AbortSignal, work: LeaderWork): Promise<void> {
    const stopListening = this.#deps.client.onReturn(() => this.#waiter.wake());
    await this.#stand(signal, work).finally(stopListening);
  }

  async #stand(signal: AbortSignal, work: LeaderWork): Promise<void> {
    const labels = { name: this.#options.name };
    this.#status.set(0, labels);
    if (!(await this.#acquire(signal))) {
      // The last attempt may have succeeded although its answer did not arrive.
      await this.#release();
      return;
    }
    this.#status.set(1, labels);
    this.#announce("became leader");
    try {
      await this.#serveTerm(signal, work);
    } finally {
      this.#status.set(0, labels);
      this.#announce("stopped leading");
    }
  }

  /** True once the candidate holds the Lease, false when the candidacy ends first. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, log, random } = this.#deps;
    const { identity, leaseDurationMs, renewDeadlineMs, retryPeriodMs } = this.#options;
    log.info("waiting for leadership", { lease: this.#lease, identity });
    // Requests of an earlier term of this process get the same time to arrive that they would have
    // before another leader's term.
    const earlierLeaseMs = this.#candidate.renewedMs + leaseDurationMs - clock.monotonicMs();
    if (earlierLeaseMs > 0) await this.#pause(earlierLeaseMs, signal);
    while (!signal.aborted) {
      if (await this.#try(renewDeadlineMs, signal)) return true;
      await this.#waitToTry(jittered(random, retryPeriodMs, candidateJitterFactor), signal);
    }
    return false;
  }

  async #serveTerm(signal: AbortSignal, work: LeaderWork): Promise<void> {
    const workEnd = new AbortController();
    const renewEnd = new AbortController();
    const lostTerm = new AbortController();
    const isCurrent = () => !lostTerm.signal.aborted && this.#remainingMs() > 0;
    const unlink = linkAbort(signal, workEnd);
    try {
      const working = this.#work(() => work(workEnd.signal, { isCurrent, lost: lostTerm.signal }), workEnd.signal);
      const lost = this.#renewUntilLost(renewEnd.signal);
      const first = await Promise.race([working.then(() => "worked" as const), lost]);
      renewEnd.abort(new Error("the term has ended"));
      if (first === "worked") {
        await this.#release();
        return;
      }
      if (first === "stopped") return;
      lostTerm.abort(new Error(`the term is over: ${this.#lease}`));
      workEnd.abort(lostTerm.signal.reason);
      throw new LeadershipLost(this.#lease, { workHasEnded: await this.#hasEnded(working) });
    } finally {
      renewEnd.abort(new Error("the term has ended"));
      unlink();
    }
  }

  async #work(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await work();
    } catch (error) {
      // Work that rejects with its signal's reason has ended intentionally.
      if (!signal.aborted || error !== signal.reason) throw error;
    }
  }

  /**
   * Returns true when the work of the lost term ends, cleanly or not, before the Lease expires,
   * after which other candidates may act.
   */
  async #hasEnded(working: Promise<void>): Promise<boolean> {
    const { leaseDurationMs, renewDeadlineMs } = this.#options;
    const limit = new AbortController();
    const settled = working.then(
      () => true,
      (error: unknown) => {
        this.#deps.log.error("work of a lost term failed", { lease: this.#lease, error });
        return true;
      },
    );
    const tooLate = this.#pause(leaseDurationMs - renewDeadlineMs, limit.signal).then(() => false);
    const ended = await Promise.race([settled, tooLate]);
    limit.abort(new Error("the work has ended"));
    return ended;
  }

  async #renewUntilLost(signal: AbortSignal): Promise<"lost" | "stopped"> {
    while (!signal.aborted) {
      await this.#waitToTry(Math.min(this.#options.retryPeriodMs, this.#remainingMs()), signal);
      if (signal.aborted) return "stopped";
      const remainingMs = this.#remainingMs();
      if (remainingMs <= 0) return this.#lost("the renew deadline has passed");
      // One call gets half the deadline, as in upstream's client, so that a call that hangs leaves
      // time for another call.
      const limitMs = Math.min(remainingMs, this.#options.renewDeadlineMs / 2);
      if (await this.#try(limitMs, signal)) continue;
      const { holder } = this.#candidate;
      if (holder !== this.#options.identity) return this.#lost(`its holder is ${holder === "" ? "absent" : holder}`);
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

  /** One attempt, for at most `limitMs`. A failed call is an unsuccessful attempt. */
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
      // The Lease expires by itself.
      this.#deps.log.warn("could not release the lease", { lease: this.#lease, error });
    } finally {
      limited.dispose();
    }
  }

  #limited(limitMs: number, outer?: AbortSignal): { signal: AbortSignal; dispose: () => void } {
    const limited = new AbortController();
    const unlink = linkAbort(outer, limited);
    const timer = this.#deps.clock.after(limitMs, () => limited.abort(new Error(`no answer within ${limitMs} ms`)));
    return {
      signal: limited.signal,
      dispose: () => {
        timer.cancel();
        unlink();
      },
    };
  }

  /** Waits until the next attempt is due, or the server is back. */
  async #waitToTry(delayMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await this.#waiter.waitAtMost(delayMs, this.#deps.clock, signal);
  }

  /** Sleeps, and returns early without an error when the signal aborts. */
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
