import { formatMicroTime, type Lease, type LeaseSpec } from "@kintsugi/api";

/** The Lease as a candidate last read it. */
export interface ObservedLease {
  lease: Lease | undefined;
  /** The time, on the candidate's monotonic clock, of the record's last observed change. */
  unchangedSinceMs: number;
}

export type LeaderElectionAction =
  /** The Lease does not exist, and the first candidate to create it leads. */
  | { type: "create"; spec: LeaseSpec }
  /** The Lease is free, or its holder has not renewed it for its whole duration. */
  | { type: "acquire"; spec: LeaseSpec }
  | { type: "renew"; spec: LeaseSpec }
  | { type: "wait"; holder: string };

export interface Candidate {
  identity: string;
  leaseDurationMs: number;
}

export interface Instant {
  nowMs: number;
  monotonicMs: number;
}

/**
 * Plans the next action of a candidate on the Lease that it has read: client-go's tryAcquireOrRenew
 * without its calls.
 */
export function planLeaderElection(observed: ObservedLease, candidate: Candidate, at: Instant): LeaderElectionAction {
  const now = formatMicroTime(at.nowMs);
  const claim: LeaseSpec = {
    holderIdentity: candidate.identity,
    leaseDurationSeconds: Math.ceil(candidate.leaseDurationMs / 1000),
    acquireTime: now,
    renewTime: now,
    leaseTransitions: 0,
  };
  if (!observed.lease) return { type: "create", spec: claim };

  const spec = observed.lease.spec ?? {};
  const transitions = spec.leaseTransitions ?? 0;
  if (spec.holderIdentity === candidate.identity) {
    return {
      type: "renew",
      spec: { ...spec, ...claim, acquireTime: spec.acquireTime ?? now, leaseTransitions: transitions },
    };
  }
  const silentForMs = at.monotonicMs - observed.unchangedSinceMs;
  const held = spec.holderIdentity !== undefined && spec.holderIdentity !== "";
  if (held && silentForMs < (spec.leaseDurationSeconds ?? 0) * 1000) {
    return { type: "wait", holder: spec.holderIdentity ?? "" };
  }
  return { type: "acquire", spec: { ...spec, ...claim, leaseTransitions: transitions + 1 } };
}

/**
 * Returns the spec that a leader writes when it stops voluntarily, so that the next leader need not
 * wait.
 */
export function releasedSpec(spec: LeaseSpec, at: Instant): LeaseSpec {
  const now = formatMicroTime(at.nowMs);
  return { ...spec, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
}
