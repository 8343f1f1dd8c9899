import {
  type Deployment,
  deployments,
  isApiError,
  isControlledBy,
  isPodTerminal,
  parseKey,
  type ReplicaSet,
  replicaSets,
  sameJson,
} from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { done, type Reconciler, type ReconcileResult } from "@kintsugi/controller";
import { Claimer } from "../claims/claimer.ts";
import type { ControllerContext } from "../context.ts";
import { type RecordEvent, referenceTo } from "../events.ts";
import { isNamespaceTerminating } from "../outcome.ts";
import { type DeploymentPlan, planDeployment } from "./plan-deployment.ts";
import { deadlineInMs, withNote } from "./plan-status.ts";
import { revisionAnnotation } from "./revisions.ts";
import { replicasOf } from "./rollout.ts";
import { isSameTemplate } from "./template-hash.ts";

export interface DeploymentReconcilerDeps {
  context: ControllerContext;
  deployments: Informer<Deployment>;
  recordEvent: RecordEvent;
}

/**
 * Takes one step of each Deployment's rollout. Every write names the revision that it was decided on, and a new set's name follows from
 * its template: a copy that is late makes a write fail, and never makes it twice.
 */
export class DeploymentReconciler implements Reconciler {
  readonly #deps: DeploymentReconcilerDeps;
  readonly #claimer: Claimer<ReplicaSet>;

  constructor(deps: DeploymentReconcilerDeps) {
    this.#deps = deps;
    const options = { ownerType: deployments, type: replicaSets, mayChange: isAlive };
    this.#claimer = new Claimer(deps.context.client, options);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { informers, clock } = this.#deps.context;
    const deployment = this.#deps.deployments.find(parseKey(key));
    if (!deployment) return done;
    const sets = await this.#claim(deployment, signal);
    const hasPods = (set: ReplicaSet) =>
      informers.pods.byIndex("controller", set.metadata.uid ?? "").some((pod) => !isPodTerminal(pod));
    const plan = planDeployment({ deployment, sets, hasPods }, clock.nowMs());
    if (plan.create !== undefined) await this.#create(deployment, plan.create);
    for (const { before, after } of plan.update) await this.#update(deployment, before, after);
    for (const set of plan.remove) await this.#remove(set);
    await this.#writeStatus(deployment, plan);
    const retryAfterMs = deadlineInMs(deployment, plan.status, clock.nowMs());
    return retryAfterMs === undefined ? done : { retryAfterMs };
  }

  #claim(deployment: Deployment, signal: AbortSignal): Promise<ReplicaSet[]> {
    const { replicaSets: informer } = this.#deps.context.informers;
    const { namespace = "", uid = "" } = deployment.metadata;
    const candidates = [...informer.byIndex("controller", uid), ...informer.byIndex("orphan", namespace)];
    return this.#claimer.claim({ owner: deployment, selector: deployment.spec?.selector }, candidates, signal);
  }

  async #create(deployment: Deployment, set: ReplicaSet): Promise<void> {
    const { client } = this.#deps.context;
    try {
      await client.create(replicaSets, set);
    } catch (error) {
      if (isApiError(error, "AlreadyExists")) return this.#settleName(deployment, set, error);
      if (!isNamespaceTerminating(error)) await this.#tellFailure(deployment, set, error);
      throw error;
    }
    if (replicasOf(set) > 0) this.#tellScaling(deployment, set, { from: 0, to: replicasOf(set) });
  }

  /** The name is taken: by the set itself, of an earlier try, or by another, and then the next try takes another name. */
  async #settleName(deployment: Deployment, set: ReplicaSet, error: Error): Promise<void> {
    const { client } = this.#deps.context;
    const { namespace = "", name = "" } = set.metadata;
    const existing = await client.find(replicaSets, { namespace, name });
    const isOwn =
      existing !== undefined &&
      isControlledBy(existing, deployment) &&
      isSameTemplate(existing.spec?.template, deployment.spec?.template);
    if (isOwn) return;
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    const status = { ...deployment.status, collisionCount };
    if (existing !== undefined) await client.update(deployments, { ...deployment, status }, { subresource: "status" });
    throw error;
  }

  async #update(deployment: Deployment, before: ReplicaSet, after: ReplicaSet): Promise<void> {
    await this.#deps.context.client.update(replicaSets, after);
    const [from, to] = [replicasOf(before), replicasOf(after)];
    if (from !== to) this.#tellScaling(deployment, after, { from, to });
  }

  async #remove({ metadata }: ReplicaSet): Promise<void> {
    const { namespace = "", name = "", uid = "" } = metadata;
    try {
      await this.#deps.context.client.delete(replicaSets, { namespace, name }, { preconditions: { uid } });
    } catch (error) {
      if (!isApiError(error, "NotFound", "Conflict")) throw error;
    }
  }

  async #writeStatus(deployment: Deployment, { status, revision }: DeploymentPlan): Promise<void> {
    if (revision === undefined && sameJson(status, deployment.status)) return;
    const { metadata } = deployment;
    const annotations =
      revision === undefined ? metadata.annotations : { ...metadata.annotations, [revisionAnnotation]: revision };
    const next = { ...deployment, metadata: { ...metadata, annotations }, status };
    await this.#deps.context.client.update(deployments, next, { subresource: "status" });
  }

  async #tellFailure(deployment: Deployment, set: ReplicaSet, error: unknown): Promise<void> {
    const { client, clock } = this.#deps.context;
    const reason = "ReplicaSetCreateError";
    const because = error instanceof Error ? error.message : String(error);
    const message = `Failed to create new replica set "${set.metadata.name}": ${because}`;
    this.#deps.recordEvent({ about: referenceTo(deployments, deployment), type: "Warning", reason, message });
    const note = { type: "Progressing", status: "False", reason, message } as const;
    const conditions = withNote(deployment.status?.conditions ?? [], note, clock.nowMs());
    const status = { ...deployment.status, conditions };
    // The error itself is what is tried again for; that it could not be written down is told by the next try.
    await client.update(deployments, { ...deployment, status }, { subresource: "status" }).catch(() => {});
  }

  #tellScaling(deployment: Deployment, set: ReplicaSet, { from, to }: { from: number; to: number }): void {
    const direction = to > from ? "up" : "down";
    const message = `Scaled ${direction} replica set ${set.metadata.name} from ${from} to ${to}`;
    const about = referenceTo(deployments, deployment);
    this.#deps.recordEvent({ about, type: "Normal", reason: "ScalingReplicaSet", message });
  }
}

function isAlive({ metadata }: ReplicaSet): boolean {
  return metadata.deletionTimestamp === undefined;
}
