import {
  deployments,
  type Pod,
  type PodDisruptionBudget,
  podDisruptionBudgets,
  pods,
  replicationControllers,
  statefulSets,
} from "@kintsugi/api";
import type { Client, Informer } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import type { Informers } from "@kintsugi/controller";
import type { OptionValues } from "@kintsugi/daemon";
import { scaleSources } from "./controller-scale.ts";
import { type BudgetVerdict, judgeBudgets, podsThatCount } from "./judge-budgets.ts";
import { LeavingPods } from "./leaving-pods.ts";
import type { evictionBudgetOptions } from "./options.ts";
import { OwnerScales } from "./owner-scales.ts";
import { indexedBudgets } from "./indexed-budgets.ts";

/**
 * A controller that evicts reads these kinds in addition to pods, so that budgets can be judged.
 */
export const budgetReadings = [indexedBudgets, deployments, statefulSets, replicationControllers] as const;

export interface EvictionBudgetsDeps {
  client: Pick<Client, "call" | "list">;
  clock: Clock;
  informers: Informers;
  options: OptionValues<typeof evictionBudgetOptions>;
}

/**
 * Decides which pods PodDisruptionBudgets allow the controllers to evict. All controllers share one
 * instance, so that two controllers never evict the last disposable pod.
 */
export class EvictionBudgets {
  readonly #deps: EvictionBudgetsDeps;
  /** Absent when budgets are ignored, or not served. */
  readonly #budgets: Informer<PodDisruptionBudget> | undefined;
  readonly #scales: OwnerScales;
  readonly #leaving = new LeavingPods();

  constructor(deps: EvictionBudgetsDeps) {
    this.#deps = deps;
    const { informers, options } = deps;
    this.#budgets = options.evictionPdbPolicy === "respect" ? informers.find(podDisruptionBudgets) : undefined;
    this.#scales = new OwnerScales({ ...deps, sources: scaleSources(informers) });
  }

  /** A caller that is allowed to evict a pod must delete it, or report that the pod remains. */
  async judge(pod: Pod, signal: AbortSignal): Promise<BudgetVerdict> {
    const { client } = this.#deps;
    const { namespace = "" } = pod.metadata;
    const near = this.#budgets?.byIndex("namespace", namespace) ?? [];
    if (near.length === 0) return { allowed: true };
    const judgement = this.#leaving.beginJudgement();
    try {
      const { items } = await client.list(pods, { namespace, signal });
      const live = items.find((other) => other.metadata.uid === pod.metadata.uid);
      if (!live) return { allowed: true };
      const findScale = await this.#scales.read(podsThatCount(live, near, items), signal);
      const view = { pods: items, findScale, leaving: judgement.leaving() };
      const verdict = judgeBudgets(live, near, view);
      // The check and the record run without a wait between them, so that two workers never both
      // evict the last disposable pod.
      if (verdict.allowed) this.#leaving.add(pod.metadata.uid ?? "");
      return verdict;
    } finally {
      judgement.end();
    }
  }

  /** Records that the pod is not deleted after all. */
  stay(uid: string): void {
    this.#leaving.stay(uid);
  }

  /** Records that the cache shows the deletion of the pod, or no longer contains the pod. */
  forget(uid: string): void {
    this.#leaving.forget(uid);
  }
}
