import {
  isApiError,
  isDisruptedBy,
  type Node,
  nodes,
  parseKey,
  type Pod,
  pods,
  withDisruptionTarget,
} from "@kintsugi/api";
import { done, type Reconciler, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import type { BudgetVerdict } from "../../shared/disruption-budgets/judge-budgets.ts";
import { podDeletion } from "../../shared/writes/pod-deletion.ts";
import { Exposures } from "./exposures.ts";
import { planEviction } from "@kintsugi/rules";

/**
 * A pod that its budget protects is reconciled again after this time; the interval of `kubectl
 * drain`.
 */
const heldRetryMs = 5000;
/** The delay until the next inspection of a pod that is due in the cache but not on the server. */
const staleRetryMs = 1000;
const disruption = {
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
} as const;

export interface TaintEvictionReconcilerDeps {
  context: ControllerContext;
  /** Called when a pod has been deleted, with the delay since it was due. */
  onEvicted: (lateMs: number) => void;
}

// A pod on a node with NoExecute taints:
//
//   stays            every taint is tolerated forever
//   is scheduled     the earliest toleration ends later; cancelled if the taint is removed earlier
//   is due           the server itself still shows the taint: condition DisruptionTarget, then
//                    DELETE with the pod's UID
//   is held          it is Ready, and its budget would be violated (--eviction-pdb-policy respect)

/** Decides about one pod. */
export class TaintEvictionReconciler implements Reconciler {
  readonly #deps: TaintEvictionReconcilerDeps;
  readonly #exposures: Exposures;
  /** UIDs of pods whose eviction has no event yet, but needs one if it is cancelled. */
  readonly #scheduled = new Set<string>();
  /** UIDs of pods that a budget protects, so that the delay is recorded once. */
  readonly #held = new Set<string>();

  constructor(deps: TaintEvictionReconcilerDeps) {
    this.#deps = deps;
    this.#exposures = new Exposures(deps.context);
  }

  /** Removes the records of a pod that no longer exists or is being deleted. */
  forget(pod: Pod): void {
    const uid = pod.metadata.uid ?? "";
    this.#exposures.forget(pod);
    this.#deps.context.budgets.forget(uid);
    for (const set of [this.#scheduled, this.#held]) set.delete(uid);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { informers, clock } = this.#deps.context;
    const pod = informers.of(pods).find(parseKey(key));
    if (!pod || pod.metadata.deletionTimestamp !== undefined) return done;
    const node = informers.of(nodes).find({ namespace: "", name: pod.spec?.nodeName ?? "" });
    const eviction = node ? planEviction(pod, node, this.#exposures.observe(pod, node)) : undefined;
    const uid = pod.metadata.uid ?? "";
    if (!eviction) {
      this.#held.delete(uid);
      if (this.#scheduled.delete(uid)) this.#tell(pod, `Cancelling deletion of Pod ${key}`);
      return done;
    }
    this.#scheduled.add(uid);
    const leftMs = eviction.atMs - clock.monotonicMs();
    if (leftMs > 0) return { retryAfterMs: leftMs };
    if (!(await this.#isDueLive(pod, signal))) return { retryAfterMs: staleRetryMs };
    const verdict = await this.#deps.context.budgets.judge(pod, signal);
    if (!verdict.allowed) return this.#hold(pod, verdict);
    await this.#evict(pod, Math.max(0, Number.isFinite(leftMs) ? -leftMs : 0));
    return done;
  }

  /** The cache may be stale, and a recovered node must not lose its pods. */
  async #isDueLive(pod: Pod, signal: AbortSignal): Promise<boolean> {
    const { client, clock } = this.#deps.context;
    const node: Node | undefined = await client.find(
      nodes,
      { namespace: "", name: pod.spec?.nodeName ?? "" },
      { signal },
    );
    if (!node) return false;
    const eviction = planEviction(pod, node, this.#exposures.observe(pod, node));
    return eviction !== undefined && eviction.atMs <= clock.monotonicMs();
  }

  #hold(pod: Pod, verdict: Extract<BudgetVerdict, { allowed: false }>): ReconcileResult {
    const uid = pod.metadata.uid ?? "";
    if (!this.#held.has(uid)) {
      this.#held.add(uid);
      const { namespace, name } = pod.metadata;
      this.#tell(pod, `Holding deletion of Pod ${namespace}/${name}: ${verdict.because}`);
    }
    return { retryAfterMs: heldRetryMs };
  }

  async #evict(pod: Pod, lateMs: number): Promise<void> {
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    this.#tell(pod, `Marking for deletion Pod ${namespace}/${name}`);
    try {
      await this.#markDisrupted(pod);
      await this.#deps.context.client.delete(pods, { namespace, name }, podDeletion(pod));
    } catch (error) {
      this.#deps.context.budgets.stay(uid);
      if (isApiError(error, "NotFound")) return;
      throw error;
    }
    this.#scheduled.delete(uid);
    this.#deps.onEvicted(lateMs);
  }

  async #markDisrupted(pod: Pod): Promise<void> {
    const { client, clock } = this.#deps.context;
    if (isDisruptedBy(pod.status?.conditions, disruption.reason)) return;
    const conditions = withDisruptionTarget(pod, disruption, clock.nowMs());
    await client.update(pods, { ...pod, status: { ...pod.status, conditions } }, { subresource: "status" });
  }

  #tell(pod: Pod, message: string): void {
    this.#deps.context.recordEvent({
      about: referenceTo(pods, pod),
      type: "Normal",
      reason: "TaintManagerEviction",
      message,
    });
  }
}
