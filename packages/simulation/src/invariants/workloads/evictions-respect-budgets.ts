import { isPodReady, podDisruptionBudgets, pods } from "@kintsugi/api";
import { BudgetTallies } from "../observed/budget-tally.ts";
import { isTaintEvicted } from "../observed/down-taints.ts";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";

/** A component that respects budgets never evicts a healthy pod that a budget needs. */
export function evictionsRespectBudgets({ known, timers }: InvariantContext): Invariant {
  const tallies = new BudgetTallies(known);
  const isRespected = timers.evictionPdbPolicy === "respect";

  return {
    name: "evictions-respect-budgets",
    never: "a Ready pod that is evicted from a node although its budget allows no disruption, if budgets are respected",
    observes: [
      onKind(pods, ({ type, object, before }, check) => {
        if (!isRespected || known.of(podDisruptionBudgets).size === 0) return;
        const isEvicted = type === "put" && isTaintEvicted(object) && before !== undefined && !isTaintEvicted(before);
        for (const broken of tallies.podChanged(object, isEvicted && isPodReady(before))) check(broken);
      }),
      onKind(podDisruptionBudgets, ({ type, object, change }, check) => {
        tallies.follow(change.entry.key, type === "delete" ? undefined : object);
        const { disruptionsAllowed } = object.status ?? {};
        if (disruptionsAllowed !== undefined)
          check(
            disruptionsAllowed < 0 ? `budget ${nameOf(object)} allows ${disruptionsAllowed} disruptions` : undefined,
          );
      }),
    ],
  };
}
