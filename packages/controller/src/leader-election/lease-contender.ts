import { isApiError, type Lease, leases, type LeaseSpec } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { type Candidate, type Instant, type ObservedLease, planLeaderElection, releasedSpec } from "./plan.ts";

export interface LeaseContenderDeps {
  client: Pick<Client, "find" | "create" | "update">;
  clock: Clock;
  /** Called when a renewal had to read the Lease first, because another client had written it. */
  onSlowPath: () => void;
}

export interface LeaseContenderOptions extends Candidate {
  namespace: string;
  name: string;
}

/** The Lease has a deadline, so its calls precede waiting calls. */
const urgent = (signal: AbortSignal) => ({ signal, urgent: true });

/** One candidate's view of the Lease and its writes to it. */
export class LeaseContender {
  readonly #deps: LeaseContenderDeps;
  readonly #options: LeaseContenderOptions;
  #observed: ObservedLease = { lease: undefined, unchangedSinceMs: 0 };
  #renewedMs = Number.NEGATIVE_INFINITY;

  constructor(deps: LeaseContenderDeps, options: LeaseContenderOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** The time on the monotonic clock at which the last successful claim or renewal was sent. */
  get renewedMs(): number {
    return this.#renewedMs;
  }

  get lease(): Lease | undefined {
    return this.#observed.lease;
  }

  get holder(): string {
    return this.#observed.lease?.spec?.holderIdentity ?? "";
  }

  /**
   * Claims or renews the Lease. Resolves with true if this candidate now holds it.
   * @throws the API's errors, except the conflict with another candidate that was faster.
   */
  async tryAcquireOrRenew(signal: AbortSignal): Promise<boolean> {
    const known = this.#observed.lease;
    if (known && this.holder === this.#options.identity) {
      const renewed = await this.#write(known, signal);
      if (renewed) return true;
      this.#deps.onSlowPath();
    }
    const { namespace, name } = this.#options;
    this.#observe(await this.#deps.client.find(leases, { namespace, name }, urgent(signal)));
    return this.#write(this.#observed.lease, signal);
  }

  /** Releases the Lease, if it is still held. */
  async release(signal: AbortSignal): Promise<void> {
    const { namespace, name, identity } = this.#options;
    const lease = await this.#deps.client.find(leases, { namespace, name }, urgent(signal));
    if (lease?.spec?.holderIdentity !== identity) return;
    const spec = releasedSpec(lease.spec, this.#instant());
    this.#observe(await this.#deps.client.update(leases, { ...lease, spec }, urgent(signal)));
  }

  /**
   * Performs the plan for `lease`; returns false when the plan is to wait, or another candidate
   * wrote first.
   */
  async #write(lease: Lease | undefined, signal: AbortSignal): Promise<boolean> {
    const at = this.#instant();
    const { unchangedSinceMs } = this.#observed;
    const action = planLeaderElection({ lease, unchangedSinceMs }, this.#options, at);
    if (action.type === "wait") return false;
    try {
      this.#observe(await this.#put(lease, action.spec, signal));
    } catch (error) {
      if (isApiError(error, "Conflict", "AlreadyExists", "NotFound")) return false;
      throw error;
    }
    this.#renewedMs = at.monotonicMs;
    return true;
  }

  #put(lease: Lease | undefined, spec: LeaseSpec, signal: AbortSignal): Promise<Lease> {
    const { namespace, name } = this.#options;
    if (lease) return this.#deps.client.update(leases, { ...lease, spec }, urgent(signal));
    const fresh: Lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { namespace, name },
      spec,
    };
    return this.#deps.client.create(leases, fresh, urgent(signal));
  }

  #observe(lease: Lease | undefined): void {
    const before = this.#observed.lease;
    const unchanged =
      before !== undefined &&
      before.metadata.uid === lease?.metadata.uid &&
      JSON.stringify(before.spec) === JSON.stringify(lease?.spec);
    const unchangedSinceMs = unchanged ? this.#observed.unchangedSinceMs : this.#deps.clock.monotonicMs();
    this.#observed = { lease, unchangedSinceMs };
  }

  #instant(): Instant {
    return { nowMs: this.#deps.clock.nowMs(), monotonicMs: this.#deps.clock.monotonicMs() };
  }
}
