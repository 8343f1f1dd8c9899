import { isPodActive, isPodReady, type Pod, type PodDisruptionBudget, podDisruptionBudgets, pods } from "@kintsugi/api";
import { podsOfBudget } from "./budgeted-pods.ts";
import { isTaintEvicted } from "./down-taints.ts";
import { type Known, nameOf } from "./known-objects.ts";

/**
 * A decision may be based on a count of this age, because it was read from the server, and the
 * write took time.
 */
const countHoldsMs = 5000;

interface Tally {
  /**
   * The number of healthy pods, each count until the next, with the number of evictions before it,
   * because many events may happen at one instant.
   */
  readonly counts: { atMs: number; healthy: number; evictions: number }[];
  evictions: number;
}

/** The number of healthy pods of each budget over the last seconds, and the evictions since. */
export class BudgetTallies {
  readonly #known: Pick<Known, "activeMs" | "of">;
  readonly #tallies = new Map<string, Tally>();

  constructor(known: Pick<Known, "activeMs" | "of">) {
    this.#known = known;
  }

  /**
   * Called at every change of a budget, because its pods may have been healthy long before the
   * change.
   */
  follow(key: string, budget: PodDisruptionBudget | undefined): void {
    if (budget === undefined) this.#tallies.delete(key);
    else if (!this.#tallies.has(key)) this.#count(budget, this.#tallyOf(key));
  }

  /**
   * Called at every change of a pod; `isEvicted` reports whether the change evicts a healthy pod.
   * @returns the violation for each budget that the eviction had to respect; empty otherwise.
   */
  podChanged(pod: Pod, isEvicted: boolean): (string | undefined)[] {
    const judged: (string | undefined)[] = [];
    for (const [key, budget] of this.#known.of(podDisruptionBudgets)) {
      const minAvailable = budget.spec?.minAvailable;
      if (typeof minAvailable !== "number" || podsOfBudget(budget, [pod]).length === 0) continue;
      const tally = this.#tallyOf(key);
      if (isEvicted) judged.push(this.#brokenBy(budget, { tally, minAvailable, pod }));
      this.#count(budget, tally);
    }
    return judged;
  }

  /**
   * The controller decides with one of the recent counts, from which every later eviction has been
   * subtracted.
   */
  #brokenBy(
    budget: PodDisruptionBudget,
    { tally, minAvailable, pod }: { tally: Tally; minAvailable: number; pod: Pod },
  ): string | undefined {
    const { activeMs } = this.#known;
    tally.evictions++;
    const recent = tally.counts.filter(({ atMs }, index) => {
      const untilMs = tally.counts[index + 1]?.atMs ?? Infinity;
      return atMs <= activeMs && untilMs + countHoldsMs >= activeMs;
    });
    const left = recent.map(({ healthy, evictions }) => healthy - (tally.evictions - evictions));
    if (left.length === 0 || left.some((healthy) => healthy >= minAvailable)) return undefined;
    return `pod ${nameOf(pod)} was evicted, and ${Math.max(...left)} pods remain, but budget ${nameOf(budget)} requires ${minAvailable}`;
  }

  #count(budget: PodDisruptionBudget, tally: Tally): void {
    const { activeMs } = this.#known;
    const healthy = podsOfBudget(budget, this.#known.of(pods).values()).filter(
      (pod) => isPodActive(pod) && isPodReady(pod) && !isTaintEvicted(pod),
    ).length;
    tally.counts.push({ atMs: activeMs, healthy, evictions: tally.evictions });
    // The newest outdated count is kept, because it was valid until the next count.
    while ((tally.counts[1]?.atMs ?? Infinity) + countHoldsMs < activeMs) tally.counts.shift();
  }

  #tallyOf(key: string): Tally {
    const tally = this.#tallies.get(key) ?? { counts: [], evictions: 0 };
    this.#tallies.set(key, tally);
    return tally;
  }
}
