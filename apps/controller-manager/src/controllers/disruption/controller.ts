import {
  controllerOf,
  type Deployment,
  deployments,
  formatKey,
  keyOf,
  parseKey,
  type Pod,
  type PodDisruptionBudget,
  podDisruptionBudgets,
  pods,
  type ReplicaSet,
  sameJson,
} from "@kintsugi/api";
import type { Informer, InformerChange } from "@kintsugi/client";
import { type Controller, done, QueueController, type ReconcileResult } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { type RecordEvent, referenceTo } from "../../shared/events/event-note.ts";
import { whileListening } from "../../shared/while-listening.ts";
import { type FindScale, scaleFinder } from "../../shared/disruption-budgets/controller-scale.ts";
import { selects } from "../../shared/disruption-budgets/desired-healthy.ts";
import { type BudgetPlan, planBudget } from "./plan.ts";
import { selectorText } from "./selector-text.ts";

/** Keeps the status of each PodDisruptionBudget: without it every eviction is refused as long as there is a budget. */
export class DisruptionController implements Controller {
  readonly name = "disruption";
  readonly #context: ControllerContext;
  readonly #budgets: Informer<PodDisruptionBudget>;
  /** Undefined where they are not served. */
  readonly #deployments: Informer<Deployment> | undefined;
  readonly #findScale: FindScale;
  readonly #recordEvent: RecordEvent;
  readonly #queue: QueueController;

  constructor(context: ControllerContext) {
    const { informers, served } = context;
    this.#context = context;
    this.#budgets = informers.of(podDisruptionBudgets);
    this.#deployments = served.includes(deployments) ? informers.of(deployments) : undefined;
    this.#findScale = scaleFinder({ replicaSets: informers.replicaSets, deployments: this.#deployments });
    this.#recordEvent = context.eventsAs("controllermanager");
    this.#queue = new QueueController(
      {
        ...context,
        reconciler: { reconcile: (key) => this.#reconcile(key) },
        allKeys: () => this.#budgets.list().map((budget) => formatKey(keyOf(budget))),
      },
      { name: "disruption", workers: 1 },
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    const { informers } = this.#context;
    const stops = [
      this.#budgets.onChange(({ object }) => this.#queue.enqueue(formatKey(keyOf(object)))),
      informers.pods.onChange((change) => this.#onPod(change)),
      informers.replicaSets.onChange((change) => this.#onController(change)),
      this.#deployments?.onChange((change) => this.#onController(change)),
    ];
    await whileListening(stops, this.#queue.run(signal));
  }

  #onPod(change: InformerChange<Pod>): void {
    this.#enqueueWhere((budget) => isIn(budget, change.object) && selects(budget)(change.object));
    if (change.type !== "modified" || sameJson(change.before.metadata.labels, change.object.metadata.labels)) return;
    this.#enqueueWhere((budget) => isIn(budget, change.before) && selects(budget)(change.before));
  }

  /** How many pods are wanted: what percentages and maxUnavailable refer to. */
  #onController(change: InformerChange<ReplicaSet> | InformerChange<Deployment>): void {
    if (change.type === "modified" && countsAsBefore(change.before, change.object)) return;
    this.#enqueueWhere((budget) => isIn(budget, change.object));
  }

  #enqueueWhere(concerns: (budget: PodDisruptionBudget) => boolean): void {
    for (const budget of this.#budgets.list()) if (concerns(budget)) this.#queue.enqueue(formatKey(keyOf(budget)));
  }

  async #reconcile(key: string): Promise<ReconcileResult> {
    const budget = this.#budgets.find(parseKey(key));
    if (!budget || budget.metadata.deletionTimestamp !== undefined) return done;
    const { clock, client, informers } = this.#context;
    const near = informers.pods.list().filter((pod) => isIn(budget, pod));
    const plan = planBudget(budget, { pods: near, findScale: this.#findScale, nowMs: clock.nowMs() });
    const isNews = !sameJson(plan.status, budget.status);
    if (isNews) this.#explain(budget, plan, { hasPods: near.some(selects(budget)) });
    for (const pod of plan.notDeleted) {
      const message = `Pod was expected by PDB ${key} to be deleted but it wasn't`;
      this.#recordEvent({ about: referenceTo(pods, pod), type: "Warning", reason: "NotDeleted", message });
    }
    // By the revision that was read: an eviction that has spent meanwhile is not given back.
    if (isNews)
      await client.update(podDisruptionBudgets, { ...budget, status: plan.status }, { subresource: "status" });
    return plan.recheckAfterMs === undefined ? done : { retryAfterMs: plan.recheckAfterMs };
  }

  /**
   * Why a budget counts as it does. Upstream says so at every look; here it is said when the count is new, so that a look for another
   * reason, as for an eviction that should have ended, repeats nothing.
   */
  #explain(budget: PodDisruptionBudget, plan: BudgetPlan, { hasPods }: { hasPods: boolean }): void {
    if (!hasPods) this.#tell(budget, { type: "Normal", reason: "NoPods", message: "No matching pods found" });
    if (plan.failure !== undefined) {
      const message = `Failed to calculate the number of expected pods: ${plan.failure}`;
      this.#tell(budget, { type: "Warning", reason: "CalculateExpectedPodCountFailed", message });
    }
    if (plan.unmanaged.length > 0)
      this.#tell(budget, { type: "Warning", reason: "UnmanagedPods", message: unmanagedPods(budget) });
  }

  #tell(budget: PodDisruptionBudget, what: { type: "Normal" | "Warning"; reason: string; message: string }): void {
    this.#recordEvent({ about: referenceTo(podDisruptionBudgets, budget), ...what });
  }
}

function unmanagedPods({ spec }: PodDisruptionBudget): string {
  const selector = selectorText(spec?.selector);
  return `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
}

function countsAsBefore(before: ReplicaSet | Deployment, after: ReplicaSet | Deployment): boolean {
  return before.spec?.replicas === after.spec?.replicas && controllerOf(before)?.uid === controllerOf(after)?.uid;
}

function isIn(budget: PodDisruptionBudget, { metadata }: Pod | ReplicaSet | Deployment): boolean {
  return budget.metadata.namespace === metadata.namespace;
}
