import { noExecuteTaints, tolerates, nodes, pods } from "@kintsugi/api";
import { downTaintOf, readyOf } from "../observed/down-taints.ts";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";

const second = 1000;
/** Time for an election and a first list; controllers do not mark nodes before that time. */
const settleMs = 60 * second;
/** The time until a due pod is deleted: the queue of evictions, the request, the disk. */
const evictMs = 15 * second;

/**
 * The liveness half of silence-lasts-the-grace-period: a node that remains down does not remain
 * Ready for long.
 */
export function lostNodesBecomeUnready({ quietPeriod, known, timers }: InvariantContext): Invariant {
  return {
    name: "lost-nodes-become-unready",
    never: "in a quiet period, a lost node that is still Ready 60 s after its grace period",
    tick(check) {
      const { forMs, lostNodes } = quietPeriod;
      if (forMs <= timers.nodeMonitorGracePeriodMs + settleMs) return;
      for (const name of lostNodes) {
        const isReady = readyOf(known.node(name)) === "True";
        check(isReady ? `node ${name} is lost and still Ready after ${forMs} ms` : undefined);
      }
    },
  };
}

/**
 * The liveness half of evictions-wait-for-tolerations: the pods of a node that remains down are
 * evicted.
 */
export function lostNodesAreEvicted({ quietPeriod, clock, known }: InvariantContext): Invariant {
  /** The time at which each node got the taint that evicts pods. */
  const taintedMs = new Map<string, number>();
  /**
   * The time at which a pod was bound to its node, by UID: a pod that a scheduler with a stale
   * cache bound to a lost node has its whole toleration time.
   */
  const boundMs = new Map<string, number>();

  return {
    name: "lost-nodes-are-evicted",
    never: "in a quiet period, a pod that is not deleted 15 s after its toleration of a lost node is over",
    observes: [
      onKind(nodes, ({ type, object }) => {
        const name = object.metadata.name ?? "";
        if (type === "delete" || !downTaintOf(object)) taintedMs.delete(name);
        else if (!taintedMs.has(name)) taintedMs.set(name, clock.monotonicMs());
      }),
      onKind(pods, ({ type, object: { metadata, spec } }) => {
        const uid = metadata.uid ?? "";
        if (type === "delete") boundMs.delete(uid);
        else if ((spec?.nodeName ?? "") !== "" && !boundMs.has(uid)) boundMs.set(uid, clock.monotonicMs());
      }),
    ],
    tick(check) {
      const { forMs, lostNodes } = quietPeriod;
      if (forMs <= settleMs) return;
      for (const name of lostNodes) {
        const node = known.node(name);
        const taint = downTaintOf(node);
        // Other taints have other times.
        if (!node || !taint || noExecuteTaints(node.spec?.taints).length > 1) continue;
        const taintedAtMs = taintedMs.get(name) ?? Infinity;
        for (const pod of known.of(pods).values()) {
          if (pod.spec?.nodeName !== name || pod.metadata.deletionTimestamp !== undefined) continue;
          const toleration = pod.spec.tolerations?.find((each) => tolerates(each, taint));
          const toleratedMs = toleration ? (toleration.tolerationSeconds ?? Infinity) * second : 0;
          const sinceMs = Math.max(taintedAtMs, boundMs.get(pod.metadata.uid ?? "") ?? 0);
          const lateMs = Math.min(clock.monotonicMs() - sinceMs - toleratedMs, forMs - settleMs);
          check(
            lateMs > evictMs ? `pod ${nameOf(pod)} is on ${name} ${lateMs} ms after its toleration ended` : undefined,
          );
        }
      }
    },
  };
}
