import {
  countedNoun,
  findCondition,
  formatSelector,
  isPodActive,
  isPodReady,
  matchesLabels,
  type Pod,
  type PodDisruptionBudget,
  toSelector,
} from "@kintsugi/api";
import type { ExplainedReason } from "../explanation.ts";
import { kubectlCommand } from "../words/commands.ts";
import { listed, aboutObject, withText } from "../words/phrases.ts";
import { listOf, type World } from "../world.ts";

/** The budgets that select the pod. */
export function budgetsOf({ metadata }: Pod, world: World): PodDisruptionBudget[] {
  return listOf(world, "poddisruptionbudgets").filter(
    (budget) =>
      budget.metadata.namespace === metadata.namespace &&
      budget.spec?.selector !== undefined &&
      matchesLabels(toSelector(budget.spec.selector), metadata.labels),
  );
}

/**
 * Explains why a budget does not allow a disruption, and the changes that would allow a disruption.
 */
export function budgetReasons(budget: PodDisruptionBudget, world: World): ExplainedReason[] {
  const { status } = budget;
  if ((status?.disruptionsAllowed ?? 0) > 0) return [];
  const about = aboutObject("PodDisruptionBudget", budget);
  const { currentHealthy: healthy = 0, desiredHealthy: desired = 0, expectedPods: expected = 0 } = status ?? {};
  const allowed = findCondition(status?.conditions, "DisruptionAllowed");
  if (allowed?.reason === "SyncFailed") {
    const because = `The budget ${about.name} allows no eviction, because it cannot count its pods${withText(allowed.message)}.`;
    return [
      { code: "BudgetExhausted", about, because, awaits: "its pods to have a controller that sets their number" },
    ];
  }
  const unhealthy = selectedPods(budget, world).filter((pod) => !isPodReady(pod));
  const names = unhealthy.map(({ metadata }) => metadata.name ?? "");
  const canNever = expected > 0 && desired >= expected;
  const selector = formatSelector(toSelector(budget.spec?.selector));
  const show = kubectlCommand(about.namespace, "get", "pods", "-l", selector);
  const missing = desired + 1 - healthy;
  return [
    {
      code: "BudgetExhausted",
      about,
      because:
        expected === 0
          ? `The budget ${about.name} allows no eviction: no controller requests the pods that it selects.`
          : `The budget ${about.name} allows no eviction: ${countedNoun(healthy, "pod")} of ${expected} ${healthy === 1 ? "is" : "are"} healthy, and it requires ${desired}.`,
      ...(names.length === 0 ? {} : { details: [`not ready: ${listed(names)}`] }),
      awaits: canNever
        ? "another setting of the budget: it requires all of its pods, so its pods can never be evicted"
        : `${countedNoun(missing, "more healthy pod")}`,
      next: "The next attempt to evict a pod succeeds.",
      remedies: canNever
        ? [
            {
              does: "Allow one unavailable pod: lower minAvailable, or set maxUnavailable to 1",
              command: kubectlCommand(about.namespace, "edit", "pdb", about.name),
            },
            { does: "Or give the workload one more replica" },
          ]
        : [{ does: "See which of its pods are not ready, and explain one of them", command: show }],
    },
  ];
}

function selectedPods({ metadata, spec }: PodDisruptionBudget, world: World): Pod[] {
  const selector = toSelector(spec?.selector);
  return listOf(world, "pods").filter(
    (pod) =>
      pod.metadata.namespace === metadata.namespace && isPodActive(pod) && matchesLabels(selector, pod.metadata.labels),
  );
}
