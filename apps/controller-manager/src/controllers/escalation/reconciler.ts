import {
  controllerOf,
  findCondition,
  isApiError,
  parseKey,
  type Pod,
  pods,
  replacementNeededCondition,
  type ReplicaSet,
  replicaSets,
  type ReplicationController,
  replicationControllers,
} from "@kintsugi/api";
import { done, type Reconciler, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { isReplacementNeeded } from "../../shared/replacement-needed.ts";
import { podDeletion } from "../../shared/writes/pod-deletion.ts";
import { planReplacement } from "./plan.ts";

/**
 * A pod that has to wait is reconciled again after this time if nothing changes; the interval of
 * `kubectl drain`.
 */
const waitRetryMs = 5000;

export interface EscalationReconcilerDeps {
  context: ControllerContext;
  onReplaced: () => void;
}

/** Decides about the pods of one owner. Its decisions do not depend on its memory. */
export class EscalationReconciler implements Reconciler {
  readonly #deps: EscalationReconcilerDeps;
  /** The reason why each pod has to wait, by uid, so that each reason is recorded once. */
  readonly #told = new Map<string, string>();
  /** Keys of owners with a waiting pod: a change of any of their pods may end the wait. */
  readonly #waiting = new Set<string>();

  constructor(deps: EscalationReconcilerDeps) {
    this.#deps = deps;
  }

  /** Removes the record of a pod that is being deleted or no longer exists. */
  forget({ metadata: { uid = "" } }: Pod): void {
    this.#told.delete(uid);
    this.#deps.context.budgets.forget(uid);
  }

  isWaiting(key: string): boolean {
    return this.#waiting.has(key);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { informers, client, clock } = this.#deps.context;
    const { namespace, name: uid } = parseKey(key);
    this.#waiting.delete(key);
    if (!informers.of(pods).byIndex("controller", uid).some(isReplacementNeeded)) return done;
    const set = this.#findSet(uid);
    if (set?.metadata.deletionTimestamp !== undefined) return done;
    // The cache may be older than the last deletion; a decision by the cache could leave two pods
    // missing at the same time.
    const { items } = await client.list(pods, { namespace, signal });
    const owned = items.filter((pod) => controllerOf(pod)?.uid === uid);
    const plan = planReplacement({ pods: owned, replicas: set && (set.spec?.replicas ?? 1) }, clock.nowMs());
    if (plan.kind === "nothing") return done;
    if (plan.kind === "wait") return this.#wait(key, plan);
    const verdict = await this.#deps.context.budgets.judge(plan.pod, signal);
    if (verdict.allowed) return this.#replace(plan.pod);
    return this.#wait(key, { pod: plan.pod, because: verdict.because });
  }

  /** The pod's owner, if its kind has a number of equal pods. */
  #findSet(uid: string): ReplicaSet | ReplicationController | undefined {
    const { informers } = this.#deps.context;
    const [pod] = informers.of(pods).byIndex("controller", uid);
    const owner = pod && controllerOf(pod);
    if (owner === undefined) return undefined;
    const key = { namespace: pod?.metadata.namespace ?? "", name: owner.name };
    const found = informers.of(replicaSets).find(key) ?? informers.find(replicationControllers)?.find(key);
    return found?.metadata.uid === uid ? found : undefined;
  }

  #wait(key: string, waits: { pod: Pod; because: string; retryAfterMs?: number }): ReconcileResult {
    const { pod, because, retryAfterMs } = waits;
    this.#waiting.add(key);
    const { uid = "" } = pod.metadata;
    if (this.#told.get(uid) !== because) {
      this.#told.set(uid, because);
      this.#tell(pod, "ReplacementHeld", `Not replaced yet: ${because}`);
    }
    return { retryAfterMs: retryAfterMs ?? waitRetryMs };
  }

  async #replace(pod: Pod): Promise<ReconcileResult> {
    const { budgets, client } = this.#deps.context;
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    const owner = controllerOf(pod);
    const because = findCondition(pod.status?.conditions, replacementNeededCondition)?.message ?? "";
    const where = pod.spec?.nodeName;
    const next = `${owner?.kind} ${owner?.name} creates a new pod${where ? `, if possible not on node ${where}` : ""}`;
    try {
      await client.delete(pods, { namespace, name }, podDeletion(pod));
    } catch (error) {
      budgets.stay(uid);
      // The pod no longer exists, or another pod now has its name.
      if (isApiError(error, "NotFound", "Conflict")) return done;
      throw error;
    }
    this.#tell(pod, "Replacing", `${because}: deleted, so that ${next}`);
    this.#deps.onReplaced();
    return done;
  }

  #tell(pod: Pod, reason: string, message: string): void {
    this.#deps.context.recordEvent({ about: referenceTo(pods, pod), type: "Normal", reason, message });
  }
}
