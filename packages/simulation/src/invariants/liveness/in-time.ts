import { findCondition, isPodBound, isPodTerminal, parseTimestamp, type Pod, pods } from "@kintsugi/api";
import type { Invariant, InvariantContext } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";

// Invariants with a time limit, which apply once the cluster is no longer disturbed. All of them
// are checked about once a second, on the present objects.

const second = 1000;
/** Time for an election, a first list and a decision. */
const bindMs = 60 * second;
/** The time beyond the pod's own grace period that a kubelet and its runtime may take. */
const beyondGraceMs = 10 * second;
/**
 * Time for the collector's second pass, 30 s after a first pass with a stale graph, and the
 * deletion.
 */
const collectMs = 60 * second;

/** A schedulable pod is bound. */
export function podsAreBoundInTime({ quietPeriod, known, clock }: InvariantContext): Invariant {
  const waitingMs = new Map<string, number>();

  return {
    name: "pods-are-bound-in-time",
    never: "in a quiet period, a pod that has been neither bound nor explained for 60 s",
    tick(check) {
      const nowMs = clock.monotonicMs();
      for (const [key, pod] of known.of(pods)) {
        if (isPodBound(pod) || isPodTerminal(pod) || isExplained(pod)) {
          waitingMs.delete(key);
          continue;
        }
        const sinceMs = waitingMs.get(key) ?? nowMs;
        waitingMs.set(key, sinceMs);
        const waitedMs = Math.min(nowMs - sinceMs, quietPeriod.forMs);
        check(waitedMs > bindMs ? `pod ${nameOf(pod)} has waited for a node for ${waitedMs} ms` : undefined);
      }
      for (const key of waitingMs.keys()) if (!known.of(pods).has(key)) waitingMs.delete(key);
    },
  };
}

/** The scheduler has recorded why the pod cannot be bound. */
function isExplained({ status }: Pod): boolean {
  return findCondition(status?.conditions, "PodScheduled")?.status === "False";
}

/** A deleted pod is removed. */
export function deletedPodsAreRemoved({ quietPeriod, known, clock }: InvariantContext): Invariant {
  return {
    name: "deleted-pods-are-removed",
    never: "in a quiet period, a deleted pod that still exists 10 s after its grace period",
    tick(check) {
      for (const pod of known.of(pods).values()) {
        const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = pod.metadata;
        if (deletionTimestamp === undefined || finalizers.length > 0) continue;
        if (quietPeriod.lostNodes.has(pod.spec?.nodeName ?? "")) continue;
        // A kubelet that has just restarted gives the containers their whole grace period again.
        const graceMs = deletionGracePeriodSeconds * second + beyondGraceMs;
        const overdueMs = clock.nowMs() - parseTimestamp(deletionTimestamp) - beyondGraceMs;
        const isLate = overdueMs > 0 && quietPeriod.forMs > graceMs + settleMs;
        check(isLate ? `pod ${nameOf(pod)} should have been removed ${overdueMs} ms ago` : undefined);
      }
    },
  };
}

/** Longest time until a node shows a sign of life again after any fault. */
const settleMs = 60 * second;

/** An object that has outlived its owners is removed, and so is a deleted namespace. */
export function dependentsAreRemoved({ quietPeriod, known }: InvariantContext): Invariant {
  return {
    name: "dependents-are-removed",
    never:
      "in a quiet period, an object whose owners were all deleted 60 s ago, or a namespace whose deletion takes 120 s",
    tick(check) {
      if (quietPeriod.forMs < collectMs) return;
      for (const { key, owners, isDeleting, node } of known.dependents()) {
        if (isDeleting || quietPeriod.lostNodes.has(node)) continue;
        const goneMs = Math.min(...owners.map((uid) => known.goneForMs(uid)));
        check(goneMs > collectMs ? `${key} exists, although its last owner was removed ${goneMs} ms ago` : undefined);
      }
      for (const { key, deletingMs } of known.endingNamespaces()) {
        const forMs = Math.min(deletingMs, quietPeriod.forMs);
        check(forMs > 2 * collectMs ? `${key} has been terminating for ${forMs} ms` : undefined);
      }
    },
  };
}

/** Longest time that a client waits for its response, including retries. */
const answerMs = 60 * second;

/** Every request ends. */
export function requestsAreAnswered({ quietPeriod, known, clock }: InvariantContext): Invariant {
  return {
    name: "requests-are-answered",
    never: "in a quiet period, a request that has not been answered for 60 s",
    tick(check) {
      const nowMs = clock.monotonicMs();
      for (const [request, sinceMs] of known.pending) {
        const waitedMs = nowMs - sinceMs;
        // Any fault may have affected a request from before the quiet period.
        if (waitedMs <= quietPeriod.forMs)
          check(waitedMs > answerMs ? `${request.method} ${request.path} has waited for ${waitedMs} ms` : undefined);
      }
    },
  };
}
