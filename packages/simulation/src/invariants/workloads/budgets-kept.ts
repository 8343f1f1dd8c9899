import { isPodActive, isPodReady, matchesLabels, type Pod, type PodDisruptionBudget, toSelector } from "@kintsugi/api";
import { isTaintEvicted } from "../observed/down-taints.ts";
import type { Invariant, InvariantContext } from "../invariant.ts";
import { nameOf } from "../observed/known.ts";

/**
 * A decision may rest on a count of this age: it was read from the server, and the write took its
 * time.
 */
const countHoldsMs = 5000;

interface Tally {
  /**
   * The healthy pods, each count until the next, with the number of evictions before it: much may
   * happen at one instant.
   */
  readonly counts: { atMs: number; healthy: number; evictions: number }[];
  evictions: number;
}

/** S15: a component that respects budgets takes no healthy pod that a budget needs. */
export function budgetsKept({ known, timers }: InvariantContext): Invariant {
  const tallies = new Map<string, Tally>();
  const isRespected = timers.evictionPdbPolicy === "respect";

  return {
    name: "S15",
    never: "a Ready pod that is evicted from a node although its budget allows none, where budgets are respected",
    pod({ type, object, before }, check) {
      if (!isRespected || known.budgets.size === 0) return;
      const isEvicted = type === "put" && isTaintEvicted(object) && before !== undefined && !isTaintEvicted(before);
      for (const [key, budget] of known.budgets) {
        const minAvailable = budget.spec?.minAvailable;
        if (typeof minAvailable !== "number" || !isOf(budget, object)) continue;
        const tally = tallyOf(key);
        if (isEvicted && isPodReady(before)) check(brokenBy(budget, { tally, minAvailable, pod: object }));
        count(budget, tally);
      }
    },
    budget({ type, object, change }, check) {
      const { key } = change.entry;
      if (type === "delete") tallies.delete(key);
      // Its pods may have been healthy long before it, and change for the first time when they are
      // evicted.
      else if (!tallies.has(key)) count(object, tallyOf(key));
      const { disruptionsAllowed } = object.status ?? {};
      if (disruptionsAllowed !== undefined)
        check(disruptionsAllowed < 0 ? `budget ${nameOf(object)} allows ${disruptionsAllowed} disruptions` : undefined);
    },
  };

  /**
   * The deciding controller counted at some instant, and every eviction since has taken one from
   * that count.
   */
  function brokenBy(
    budget: PodDisruptionBudget,
    asked: { tally: Tally; minAvailable: number; pod: Pod },
  ): string | undefined {
    const { tally, minAvailable, pod } = asked;
    const { awakeMs } = known;
    tally.evictions++;
    const recent = tally.counts.filter(({ atMs }, index) => {
      const untilMs = tally.counts[index + 1]?.atMs ?? Infinity;
      return atMs <= awakeMs && untilMs + countHoldsMs >= awakeMs;
    });
    const left = recent.map(({ healthy, evictions }) => healthy - (tally.evictions - evictions));
    if (left.length === 0 || left.some((healthy) => healthy >= minAvailable)) return undefined;
    return `pod ${nameOf(pod)} was evicted, and ${Math.max(...left)} are left of the ${minAvailable} that budget ${nameOf(budget)} keeps`;
  }

  function count(budget: PodDisruptionBudget, tally: Tally): void {
    const { awakeMs, pods } = known;
    const healthy = [...pods.values()].filter(
      (pod) => isOf(budget, pod) && isPodActive(pod) && isPodReady(pod) && !isTaintEvicted(pod),
    ).length;
    tally.counts.push({ atMs: awakeMs, healthy, evictions: tally.evictions });
    // The last of the counts that are too old still holds since then.
    while ((tally.counts[1]?.atMs ?? Infinity) + countHoldsMs < awakeMs) tally.counts.shift();
  }

  function tallyOf(key: string): Tally {
    const tally = tallies.get(key) ?? { counts: [], evictions: 0 };
    tallies.set(key, tally);
    return tally;
  }
}

function isOf({ metadata, spec }: PodDisruptionBudget, pod: Pod): boolean {
  return (
    metadata.namespace === pod.metadata.namespace && matchesLabels(toSelector(spec?.selector), pod.metadata.labels)
  );
}
