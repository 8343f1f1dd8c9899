import {
  type Deployment,
  deployments,
  isApiError,
  isControlledBy,
  isPodTerminal,
  parseKey,
  pods,
  type ReplicaSet,
  replicaSets,
  sameJson,
  messageOf,
} from "@kintsugi/api";
import type { Client, Informer } from "@kintsugi/client";
import { done, type Reconciler, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import { Claimer } from "../../shared/owners/claimer.ts";
import type { ControllerContext } from "../../context.ts";
import { isNamespaceTerminating } from "../../shared/writes/write-outcome.ts";
import { behindRetryMs, WrittenObjects } from "../../shared/writes/written-objects.ts";
import { type DeploymentPlan, planDeployment } from "./plan-deployment.ts";
import { deadlineInMs, withNote } from "./plan-status.ts";
import { revisionAnnotation } from "./revisions.ts";
import { replicasOf } from "./rollout.ts";
import { isSameTemplate } from "./template-hash.ts";

/**
 * Takes one step of each Deployment's rollout. Every write names the revision for which it was
 * decided, and a new set's name is derived from its template, so a stale cache makes a write fail
 * and never repeats it. A step distributes pods among several sets, so the next step waits until
 * the cache contains the writes of the last step.
 */
export class DeploymentReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #deployments: Informer<Deployment>;
  readonly #sets: Informer<ReplicaSet>;
  /** The Deployment's sets. */
  readonly #written: WrittenObjects;
  readonly #claimer: Claimer<ReplicaSet>;
  /**
   * The names, by Deployment, of sets whose last write timed out or failed with an error, so that
   * it may have been carried out.
   */
  readonly #unclear = new Map<string, Set<string>>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#deployments = context.informers.of(deployments);
    this.#sets = context.informers.of(replicaSets);
    this.#written = new WrittenObjects(this.#sets);
    const options = { ownerType: deployments, type: replicaSets, mayChange: isAlive };
    this.#claimer = new Claimer(context.client, options);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { informers, clock } = this.#context;
    const deployment = this.#deployments.find(parseKey(key));
    if (!deployment) {
      this.#written.forget(key);
      this.#unclear.delete(key);
      return done;
    }
    await this.#clear(key, deployment);
    if (this.#isBehind(key, deployment)) return { retryAfterMs: behindRetryMs };
    const sets = await this.#claim(deployment, signal);
    const hasPods = (set: ReplicaSet) =>
      informers
        .of(pods)
        .byIndex("controller", set.metadata.uid ?? "")
        .some((pod) => !isPodTerminal(pod));
    const plan = planDeployment({ deployment, sets, hasPods }, clock.nowMs());
    if (plan.create !== undefined) {
      const outcome = await this.#create(key, deployment, plan.create);
      if (outcome === "was there" && this.#isBehind(key, deployment)) return { retryAfterMs: behindRetryMs };
    }
    for (const { before, after } of plan.update) await this.#update(key, deployment, { before, after });
    for (const set of plan.remove) await this.#remove(set);
    await this.#writeStatus(deployment, plan);
    const retryAfterMs = deadlineInMs(deployment, plan.status, clock.nowMs());
    return retryAfterMs === undefined ? done : { retryAfterMs };
  }

  #claim(deployment: Deployment, signal: AbortSignal): Promise<ReplicaSet[]> {
    const { namespace = "", uid = "" } = deployment.metadata;
    const candidates = [...this.#sets.byIndex("controller", uid), ...this.#sets.byIndex("orphan", namespace)];
    return this.#claimer.claim({ owner: deployment, selector: deployment.spec?.selector }, candidates, signal);
  }

  /** Reads the sets whose last write has an unknown outcome. */
  async #clear(key: string, { metadata }: Deployment): Promise<void> {
    const names = this.#unclear.get(key) ?? new Set();
    for (const name of names) {
      const set = await this.#context.client.find(replicaSets, { namespace: metadata.namespace ?? "", name });
      if (set !== undefined) this.#written.written(key, set);
      names.delete(name);
    }
    this.#unclear.delete(key);
  }

  #isBehind(key: string, { metadata }: Deployment): boolean {
    return this.#written.isAheadOf(key, this.#sets.byIndex("controller", metadata.uid ?? ""));
  }

  async #create(key: string, deployment: Deployment, set: ReplicaSet): Promise<"made" | "was there"> {
    try {
      await this.#write(key, set, (client) => client.create(replicaSets, set));
    } catch (error) {
      if (isApiError(error, "AlreadyExists")) {
        await this.#settleName(key, deployment, { set, error });
        return "was there";
      }
      if (!isNamespaceTerminating(error)) await this.#tellFailure(deployment, set, error);
      throw error;
    }
    if (replicasOf(set) > 0) this.#tellScaling(deployment, set, { from: 0, to: replicasOf(set) });
    return "made";
  }

  /**
   * The name is taken, either by the same set from an earlier try, or by another object. In the
   * second case, the next try uses another name.
   */
  async #settleName(
    key: string,
    deployment: Deployment,
    { set, error }: { set: ReplicaSet; error: Error },
  ): Promise<void> {
    const { client } = this.#context;
    const { namespace = "", name = "" } = set.metadata;
    const existing = await client.find(replicaSets, { namespace, name });
    const isOwn =
      existing !== undefined &&
      isControlledBy(existing, deployment) &&
      isSameTemplate(existing.spec?.template, deployment.spec?.template);
    if (isOwn) return this.#written.written(key, existing);
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    const status = { ...deployment.status, collisionCount };
    if (existing !== undefined) await client.update(deployments, { ...deployment, status }, { subresource: "status" });
    throw error;
  }

  async #update(
    key: string,
    deployment: Deployment,
    { before, after }: { before: ReplicaSet; after: ReplicaSet },
  ): Promise<void> {
    await this.#write(key, after, (client) => client.update(replicaSets, after));
    const [from, to] = [replicasOf(before), replicasOf(after)];
    if (from !== to) this.#tellScaling(deployment, after, { from, to });
  }

  async #write(key: string, set: ReplicaSet, write: (client: Client) => Promise<ReplicaSet>): Promise<void> {
    try {
      this.#written.written(key, await write(this.#context.client));
    } catch (error) {
      if (!isApiError(error, "Conflict", "AlreadyExists", "NotFound")) {
        const unclear = this.#unclear.get(key) ?? new Set();
        this.#unclear.set(key, unclear.add(set.metadata.name ?? ""));
      }
      throw error;
    }
  }

  async #remove({ metadata }: ReplicaSet): Promise<void> {
    const { namespace = "", name = "", uid = "" } = metadata;
    try {
      await this.#context.client.delete(replicaSets, { namespace, name }, { preconditions: { uid } });
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
    await this.#context.client.update(deployments, next, { subresource: "status" });
  }

  async #tellFailure(deployment: Deployment, set: ReplicaSet, error: unknown): Promise<void> {
    const { client, clock } = this.#context;
    const reason = "ReplicaSetCreateError";
    const because = messageOf(error);
    const message = `Failed to create new replica set "${set.metadata.name}": ${because}`;
    this.#context.recordEvent({ about: referenceTo(deployments, deployment), type: "Warning", reason, message });
    const note = { type: "Progressing", status: "False", reason, message } as const;
    const conditions = withNote(deployment.status?.conditions ?? [], note, clock.nowMs());
    const status = { ...deployment.status, conditions };
    // The error itself causes the retry; a failure to record it shows at the next try.
    await client.update(deployments, { ...deployment, status }, { subresource: "status" }).catch(() => {});
  }

  #tellScaling(deployment: Deployment, set: ReplicaSet, { from, to }: { from: number; to: number }): void {
    const direction = to > from ? "up" : "down";
    const message = `Scaled ${direction} replica set ${set.metadata.name} from ${from} to ${to}`;
    const about = referenceTo(deployments, deployment);
    this.#context.recordEvent({ about, type: "Normal", reason: "ScalingReplicaSet", message });
  }
}

function isAlive({ metadata }: ReplicaSet): boolean {
  return metadata.deletionTimestamp === undefined;
}
