import {
  isPodActive,
  isPodReady,
  matchesLabels,
  type Pod,
  type PodDisruptionBudget,
  type TimerProfile,
  toSelector,
} from "@kintsugi/api";
import { isTaintEvicted } from "./down-taints.ts";
import type { Check, Invariant, Seen } from "./invariant.ts";
import { type Known, nameOf } from "./known.ts";

/** How old the count may be that somebody has decided by: it was read from the server, and the writing took its time. */
const countHoldsMs = 5000;

interface Tally {
  /** How many were healthy, each count until the next, and how many evictions came before it: much may happen at one instant. */
  readonly counts: { atMs: number; healthy: number; evictions: number }[];
  evictions: number;
}

/** S15: who respects budgets takes no healthy pod that a budget needs. */
export class BudgetsKept implements Invariant {
  readonly name = "S15";
  readonly never =
    "a Ready pod that is evicted from a node although its budget allows none, where budgets are respected";
  readonly #known: Known;
  readonly #isRespected: boolean;
  readonly #tallies = new Map<string, Tally>();

  constructor({ known, timers }: { known: Known; timers: TimerProfile }) {
    this.#known = known;
    this.#isRespected = timers.evictionPdbPolicy === "respect";
  }

  pod({ type, object, before }: Seen<Pod>, check: Check): void {
    if (!this.#isRespected || this.#known.budgets.size === 0) return;
    const isEvicted = type === "put" && isTaintEvicted(object) && before !== undefined && !isTaintEvicted(before);
    for (const [key, budget] of this.#known.budgets) {
      const minAvailable = budget.spec?.minAvailable;
      if (typeof minAvailable !== "number" || !isOf(budget, object)) continue;
      const tally = this.#tally(key);
      if (isEvicted && isPodReady(before)) check(this.#broken(budget, { tally, minAvailable, pod: object }));
      this.#count(budget, tally);
    }
  }

  budget({ type, object, change }: Seen<PodDisruptionBudget>, check: Check): void {
    const { key } = change.entry;
    if (type === "delete") this.#tallies.delete(key);
    // Its pods may have been healthy long before it, and change for the first time when they are evicted.
    else if (!this.#tallies.has(key)) this.#count(object, this.#tally(key));
    const { disruptionsAllowed } = object.status ?? {};
    if (disruptionsAllowed !== undefined)
      check(disruptionsAllowed < 0 ? `budget ${nameOf(object)} allows ${disruptionsAllowed} disruptions` : undefined);
  }

  /** Somebody counted at some instant, and every eviction since has taken one from that count. */
  #broken(budget: PodDisruptionBudget, asked: { tally: Tally; minAvailable: number; pod: Pod }): string | undefined {
    const { tally, minAvailable, pod } = asked;
    const { awakeMs } = this.#known;
    tally.evictions++;
    const recent = tally.counts.filter(({ atMs }, index) => {
      const untilMs = tally.counts[index + 1]?.atMs ?? Infinity;
      return atMs <= awakeMs && untilMs + countHoldsMs >= awakeMs;
    });
    const left = recent.map(({ healthy, evictions }) => healthy - (tally.evictions - evictions));
    if (left.length === 0 || left.some((healthy) => healthy >= minAvailable)) return undefined;
    return `pod ${nameOf(pod)} was evicted, and ${Math.max(...left)} are left of the ${minAvailable} that budget ${nameOf(budget)} keeps`;
  }

  #count(budget: PodDisruptionBudget, tally: Tally): void {
    const { awakeMs, pods } = this.#known;
    const healthy = [...pods.values()].filter(
      (pod) => isOf(budget, pod) && isPodActive(pod) && isPodReady(pod) && !isTaintEvicted(pod),
    ).length;
    tally.counts.push({ atMs: awakeMs, healthy, evictions: tally.evictions });
    // The last of those that are too old still says how many there were since then.
    while ((tally.counts[1]?.atMs ?? Infinity) + countHoldsMs < awakeMs) tally.counts.shift();
  }

  #tally(key: string): Tally {
    const tally = this.#tallies.get(key) ?? { counts: [], evictions: 0 };
    this.#tallies.set(key, tally);
    return tally;
  }
}

function isOf({ metadata, spec }: PodDisruptionBudget, pod: Pod): boolean {
  return (
    metadata.namespace === pod.metadata.namespace && matchesLabels(toSelector(spec?.selector), pod.metadata.labels)
  );
}
