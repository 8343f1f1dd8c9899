import {
  isPodReady,
  parseTimestamp,
  type Pod,
  type PodDisruptionBudget,
  podDisruptionBudgets,
  pods,
} from "@kintsugi/api";
import { LastingTroubles } from "../../lasting-troubles.ts";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { podsOfBudget } from "../observed/budgeted-pods.ts";
import { nameOf } from "../observed/known-objects.ts";

/**
 * Time for which a count may be wrong. Changes of pods wake the controller, so a correct controller
 * needs much less time.
 */
const wrongMs = 60_000;
/** An eviction without a deletion is dropped after this time. */
const forgottenMs = 120_000;

/**
 * Evictions decrement the count in a budget's status, so a wrong count stops a drain. The status
 * names evicted pods, and a StatefulSet creates other pods of the same names. This check identifies
 * each pod by its UID.
 */
export function budgetsCountCorrectly({ known, clocks, ...context }: InvariantContext): Invariant {
  const wrong = new LastingTroubles(context);
  /** The UIDs of evicted pods by their names, by the key of the budget that allowed it. */
  const evicted = new Map<string, EvictedUids>();

  return {
    name: "budgets-count-correctly",
    never:
      "in a quiet period, a budget whose number of healthy pods differs for 60 s from the number of pods that are Ready and were not evicted",
    observes: [
      onKind(podDisruptionBudgets, ({ type, object, before, change }) => {
        const { key } = change.entry;
        if (type === "delete") return void evicted.delete(key);
        const earlier = before?.status?.disruptedPods ?? {};
        const uidOf = (name: string) =>
          known.of(pods).get(`core/pods/${object.metadata.namespace}/${name}`)?.metadata.uid;
        const uids = new Map<string, string | undefined>();
        for (const [name, time] of Object.entries(object.status?.disruptedPods ?? {}))
          uids.set(name, earlier[name] === time ? evicted.get(key)?.get(name) : uidOf(name));
        evicted.set(key, uids);
      }),
    ],
    tick(check) {
      if (known.of(podDisruptionBudgets).size === 0 || clocks.steadyForMs("controller-manager") < forgottenMs) return;
      const stale = new Set<string>();
      for (const [key, budget] of known.of(podDisruptionBudgets)) {
        const healthy = countHealthy(budget, evicted.get(key));
        if (healthy !== undefined && healthy !== budget.status?.currentHealthy) stale.add(nameOf(budget));
      }
      for (const [name, forMs] of wrong.observe(stale))
        check(forMs > wrongMs ? `budget ${name} has had a wrong count for ${forMs} ms` : undefined);
    },
  };

  /** Returns undefined if whole seconds do not distinguish a pod from its predecessor. */
  function countHealthy(budget: PodDisruptionBudget, uids: EvictedUids | undefined): number | undefined {
    const healthy = podsOfBudget(budget, known.of(pods).values()).filter(
      (pod) =>
        isPodReady(pod) &&
        pod.metadata.deletionTimestamp === undefined &&
        uids?.get(pod.metadata.name ?? "") !== pod.metadata.uid,
    );
    const nowMs = context.clock.nowMs();
    const isUnclear = ({ metadata: { name = "", creationTimestamp } }: Pod) => {
      const evictedAt = budget.status?.disruptedPods?.[name];
      if (evictedAt === undefined || creationTimestamp === undefined) return false;
      const createdMs = parseTimestamp(creationTimestamp);
      return createdMs < parseTimestamp(evictedAt) || createdMs > nowMs;
    };
    return healthy.some(isUnclear) ? undefined : healthy.length;
  }
}

/** The UIDs of pods by their names; undefined for unknown pods. */
type EvictedUids = ReadonlyMap<string, string | undefined>;
