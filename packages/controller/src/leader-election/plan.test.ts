import { formatMicroTime, type Lease } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { type LeaderElectionAction, planLeaderElection, releasedSpec } from "./plan.ts";

const candidate = { identity: "me", leaseDurationMs: 15_000 };
const nowMs = 1_767_225_600_000;
const at = (monotonicMs: number) => ({ nowMs, monotonicMs });
const now = formatMicroTime(nowMs);
const earlier = formatMicroTime(nowMs - 1_000_000);

function lease(spec: Lease["spec"]): Lease {
  return { metadata: { name: "kube-scheduler", namespace: "kube-system", resourceVersion: "7" }, spec };
}

const held = (holderIdentity: string, leaseDurationSeconds = 15) =>
  lease({ holderIdentity, leaseDurationSeconds, acquireTime: earlier, renewTime: earlier, leaseTransitions: 4 });

const claim = { holderIdentity: "me", leaseDurationSeconds: 15, acquireTime: now, renewTime: now };

const cases: { name: string; lease: Lease | undefined; monotonicMs: number; expected: LeaderElectionAction }[] = [
  {
    name: "a missing lease is created",
    lease: undefined,
    monotonicMs: 0,
    expected: { type: "create", spec: { ...claim, leaseTransitions: 0 } },
  },
  {
    name: "another's lease is respected until its own duration has passed unchanged, however old its timestamps",
    lease: held("other"),
    monotonicMs: 14_999,
    expected: { type: "wait", holder: "other" },
  },
  {
    name: "another holder's lease is acquired at exactly its duration, counting a transition",
    lease: held("other"),
    monotonicMs: 15_000,
    expected: { type: "acquire", spec: { ...claim, leaseTransitions: 5 } },
  },
  {
    name: "the duration that counts is the holder's, not the candidate's",
    lease: held("other", 60),
    monotonicMs: 59_999,
    expected: { type: "wait", holder: "other" },
  },
  {
    name: "a released lease is acquired immediately",
    lease: held("", 1),
    monotonicMs: 0,
    expected: { type: "acquire", spec: { ...claim, leaseTransitions: 5 } },
  },
  {
    name: "a lease without spec is acquired immediately",
    lease: lease(undefined),
    monotonicMs: 0,
    expected: { type: "acquire", spec: { ...claim, leaseTransitions: 1 } },
  },
  {
    name: "its own lease is renewed, with the same acquire time",
    lease: held("me"),
    monotonicMs: 100_000,
    expected: { type: "renew", spec: { ...claim, acquireTime: earlier, leaseTransitions: 4 } },
  },
];

describe("the plan for a lease", () => {
  test.each(cases)("$name", ({ lease: seen, monotonicMs, expected }) => {
    expect(planLeaderElection({ lease: seen, unchangedSinceMs: 0 }, candidate, at(monotonicMs))).toEqual(expected);
  });

  test("keeps unknown fields", () => {
    const seen = lease({ ...held("").spec, strategy: "OldestEmulationVersion" });
    expect(planLeaderElection({ lease: seen, unchangedSinceMs: 0 }, candidate, at(0))).toMatchObject({
      spec: { strategy: "OldestEmulationVersion" },
    });
  });

  test("a released lease has no holder and expires after a second", () => {
    expect(releasedSpec(held("me").spec ?? {}, at(0))).toEqual({
      holderIdentity: "",
      leaseDurationSeconds: 1,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 4,
    });
  });
});
