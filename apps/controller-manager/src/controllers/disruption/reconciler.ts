import { parseKey, type PodDisruptionBudget, podDisruptionBudgets, pods, sameJson } from "@kintsugi/api";
import { done, type Reconciler, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { scaleSources } from "../../shared/disruption-budgets/controller-scale.ts";
import { selects } from "../../shared/disruption-budgets/desired-healthy.ts";
import { OwnerScales } from "../../shared/disruption-budgets/owner-scales.ts";
import { type BudgetPlan, planBudget, podsWithScale } from "./plan.ts";
import { podsWithLabels } from "../../shared/pods-with-labels.ts";
import { selectorText } from "../../shared/selector-text.ts";

/** Counts the pods of one budget and writes its status. */
export class BudgetReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #scales: OwnerScales;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#scales = new OwnerScales({ ...context, sources: scaleSources(context.informers) });
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { clock, client, informers, recordEvent } = this.#context;
    const budget = informers.of(podDisruptionBudgets).find(parseKey(key));
    if (!budget || budget.metadata.deletionTimestamp !== undefined) return done;
    const { namespace = "" } = budget.metadata;
    const near = podsWithLabels(informers.of(pods), namespace, budget.spec?.selector?.matchLabels);
    const findScale = await this.#scales.read(podsWithScale(budget, near), signal);
    const plan = planBudget(budget, { pods: near, findScale, nowMs: clock.nowMs() });
    const isNews = !sameJson(plan.status, budget.status);
    if (isNews) this.#explain(budget, plan, { hasPods: near.some(selects(budget)) });
    for (const pod of plan.notDeleted) {
      const message = `Pod was expected by PDB ${key} to be deleted but it wasn't`;
      recordEvent({ about: referenceTo(pods, pod), type: "Warning", reason: "NotDeleted", message });
    }
    // The write names the revision that was read, so that it never undoes the decrement of a
    // concurrent eviction.
    if (isNews)
      await client.update(podDisruptionBudgets, { ...budget, status: plan.status }, { subresource: "status" });
    return plan.recheckAfterMs === undefined ? done : { retryAfterMs: plan.recheckAfterMs };
  }

  /**
   * Records the reasons for a budget's count. Upstream records them at every sync. Here only a new
   * count has an event, so that a sync for another reason, such as an eviction that should have
   * ended, never repeats the event.
   */
  #explain(budget: PodDisruptionBudget, plan: BudgetPlan, { hasPods }: { hasPods: boolean }): void {
    if (!hasPods) this.#record(budget, { type: "Normal", reason: "NoPods", message: "No matching pods found" });
    if (plan.failure !== undefined) {
      const message = `Failed to calculate the number of expected pods: ${plan.failure}`;
      this.#record(budget, { type: "Warning", reason: "CalculateExpectedPodCountFailed", message });
    }
    if (plan.unmanaged.length > 0)
      this.#record(budget, { type: "Warning", reason: "UnmanagedPods", message: unmanagedPods(budget) });
  }

  #record(budget: PodDisruptionBudget, note: { type: "Normal" | "Warning"; reason: string; message: string }): void {
    this.#context.recordEvent({ about: referenceTo(podDisruptionBudgets, budget), ...note });
  }
}

function unmanagedPods({ spec }: PodDisruptionBudget): string {
  const selector = selectorText(spec?.selector);
  return `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
}
