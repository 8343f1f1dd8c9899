import {
  type ApiObject,
  isPodActive,
  matchesLabels,
  parseKey,
  type Pod,
  pods,
  type ReplicaSet,
  type ReplicaSetStatus,
  sameJson,
  toSelector,
} from "@kintsugi/api";
import { done, type Expectations, type Reconciler, type ReconcileResult } from "@kintsugi/controller";
import { nextAvailabilityMs } from "../next-availability.ts";
import { Claimer } from "../owners/claimer.ts";
import type { ControllerContext } from "../../context.ts";
import { isReplacementNeeded } from "../replacement-needed.ts";
import { planAvoidance } from "./plan-avoidance.ts";
import { type OwnedPods, planReplicas, planStatus, type ReplicaFailure, sortPods } from "./plan.ts";
import type { ReplacementPace } from "./replacement-pace.ts";
import type { ReplicatedKind } from "./replicated-kind.ts";
import type { ReplicaWriter } from "./replica-writer.ts";

export interface ReplicaSetReconcilerDeps<T extends ApiObject> {
  kind: ReplicatedKind<T>;
  context: ControllerContext;
  expectations: Expectations;
  pace: ReplacementPace;
  writer: ReplicaWriter;
}

/**
 * A reconcile counts all pods of its set, each in a third of a microsecond. A set that pauses for
 * thirty times as long takes 3 % of a core while many pods change. Smaller sets do not need a
 * pause.
 */
const restMsOfPod = 0.01;
const restFromPods = 1_000;

interface Replaced {
  failure: ReplicaFailure | undefined;
  error: Error | undefined;
  /** Time after which more pods may be made. */
  retryAfterMs?: number | undefined;
}

/**
 * The facts about a set beyond the caches. They only ever delay actions, so a restart may lose
 * them.
 */
interface Doubt {
  /** The outcome of a write is unknown, until a list from the server shows the outcome. */
  askServer: boolean;
  /** The cache is stale until it has reached this revision. */
  trustFromRevision: number;
  /** Names with which pods may have been created. */
  unsettled: readonly string[];
}

// The pods in the cache may be counted in these states:
//
//   fulfilled   every write of this process is in the cache   count the cache
//   pending     a write is not in the cache yet               only the status
//   expired, or a write had an unknown outcome                count a live list, and do not trust
//                                                             the cache again before it has
//                                                             reached that list's revision

/**
 * Maintains as many pods as a ReplicaSet wants, and never more, however late, lost or doubtful its
 * own writes are.
 */
export class ReplicaSetReconciler<T extends ApiObject> implements Reconciler {
  readonly #deps: ReplicaSetReconcilerDeps<T>;
  readonly #claimer: Claimer<Pod>;
  /** One entry per set in doubt. */
  readonly #doubts = new Map<string, Doubt>();
  /**
   * Pods that were deleted because restarts did not repair them, since their set last had all its
   * pods. A node whose pod is dropped from this record is not avoided.
   */
  readonly #lost = new Map<string, Pod[]>();

  constructor(deps: ReplicaSetReconcilerDeps<T>) {
    this.#deps = deps;
    this.#claimer = new Claimer(deps.context.client, { ownerType: deps.kind.type, type: pods, mayChange: isPodActive });
  }

  /** Records a pod that is no longer in the API. */
  noteLost(key: string, pod: Pod): void {
    if (isReplacementNeeded(pod)) this.#lost.set(key, [...(this.#lost.get(key) ?? []), pod]);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { context, expectations, kind, pace } = this.#deps;
    const object = context.informers.of(kind.type).find(parseKey(key));
    if (!object) {
      expectations.reset(key);
      pace.reset(key);
      this.#doubts.delete(key);
      this.#lost.delete(key);
      return done;
    }
    const set = kind.asSet(object);
    const expected = expectations.state(key);
    const mustAsk = expected.state === "expired" || this.#isInDoubt(key);
    const candidates = mustAsk ? await this.#listLive(key, set, signal) : this.#cached(set);
    const mayCount = mustAsk || expected.state === "fulfilled";
    const owned = await this.#claim(set, candidates, signal);

    const isDeleting = set.metadata.deletionTimestamp !== undefined;
    const outcome = mayCount && !isDeleting ? await this.#replace(key, set, { owned, signal }) : undefined;
    const status = this.#planStatus(set, owned, outcome);
    const next = kind.withStatus(object, status);
    if (!sameJson(next, object)) await context.client.update(kind.type, next, { subresource: "status" });
    if (outcome?.error) throw outcome.error;
    const waits = [
      nextAvailabilityMs(owned.active, set.spec?.minReadySeconds, context.clock.nowMs()),
      expected.state === "pending" && !mustAsk ? expected.expiresInMs : undefined,
      outcome?.retryAfterMs,
    ].filter((wait) => wait !== undefined);
    const rest = { restMs: restMs(owned) };
    return waits.length === 0 ? { ...done, ...rest } : { retryAfterMs: Math.min(...waits), ...rest };
  }

  #isInDoubt(key: string): boolean {
    const doubt = this.#doubts.get(key);
    if (!doubt) return false;
    if (doubt.askServer || this.#deps.context.informers.of(pods).position() < doubt.trustFromRevision) return true;
    this.#doubts.delete(key);
    return false;
  }

  #cached(set: ReplicaSet): Pod[] {
    const informer = this.#deps.context.informers.of(pods);
    const { namespace = "", uid = "" } = set.metadata;
    return [...informer.byIndex("controller", uid), ...informer.byIndex("orphan", namespace)];
  }

  /** Lists the pods from the server, which settles all expectations. */
  async #listLive(key: string, set: ReplicaSet, signal: AbortSignal): Promise<Pod[]> {
    const { context, expectations } = this.#deps;
    const { namespace = "" } = set.metadata;
    const { items, resourceVersion } = await context.client.list(pods, { namespace, signal });
    expectations.reset(key);
    const names = new Set(items.map((pod) => pod.metadata.name ?? ""));
    const unsettled = (this.#doubts.get(key)?.unsettled ?? []).filter((name) => !names.has(name));
    this.#doubts.set(key, { askServer: false, trustFromRevision: Number(resourceVersion), unsettled });
    return items;
  }

  async #claim(set: ReplicaSet, candidates: readonly Pod[], signal: AbortSignal): Promise<OwnedPods> {
    const keep = await this.#claimer.claim({ owner: set, selector: set.spec?.selector }, candidates, signal);
    return { ...sortPods(keep), related: this.#related(set, keep) };
  }

  #related(set: ReplicaSet, own: readonly Pod[]): Pod[] {
    const { context, kind } = this.#deps;
    const { informers } = context;
    const owner = set.metadata.ownerReferences?.find((reference) => reference.controller === true);
    const siblings = owner ? informers.of(kind.type).byIndex("controller", owner.uid) : [];
    const others = siblings.filter((sibling) => sibling.metadata.uid !== set.metadata.uid);
    const theirs = others.flatMap((sibling) => informers.of(pods).byIndex("controller", sibling.metadata.uid ?? ""));
    return sortPods([...own, ...theirs]).active;
  }

  async #replace(
    key: string,
    set: ReplicaSet,
    { owned, signal }: { owned: OwnedPods; signal: AbortSignal },
  ): Promise<Replaced> {
    const { context, kind, pace, writer } = this.#deps;
    const selector = toSelector(set.spec?.selector);
    // Validation rejects a set whose selector does not match its template, because every new pod
    // would be released immediately, in an endless loop.
    if (!matchesLabels(selector, set.spec?.template?.metadata?.labels)) {
      throw new Error(`the selector of ${kind.type.kind} ${key} does not match the labels of its own template`);
    }
    const plan = planReplicas(set, owned, context.clock.nowMs());
    const oldNames = this.#doubts.get(key)?.unsettled ?? [];
    const avoid = planAvoidance([...(this.#lost.get(key) ?? []), ...owned.terminating], owned.active);
    // A set in doubt is not slowed down, because names that may turn out to be taken have to be
    // tried now.
    const { count, retryAfterMs } = this.#doubts.has(key) ? { count: plan.create } : pace.grant(key, plan.create);
    if (count === plan.create) this.#lost.delete(key);
    const result =
      plan.create > 0
        ? await writer.create(set, { key, count, oldNames, avoid, isTaken: this.#isTaken(set) }, signal)
        : await writer.delete(set, key, plan.delete);
    const doubt = this.#doubts.get(key);
    if (result.unsettled.length > 0 || (result.error && plan.delete.length > 0)) {
      const trustFromRevision = doubt?.trustFromRevision ?? 0;
      this.#doubts.set(key, { askServer: true, trustFromRevision, unsettled: result.unsettled });
    } else if (doubt) {
      this.#doubts.set(key, { ...doubt, unsettled: [] });
    }
    return { failure: result.failure, error: result.error, retryAfterMs };
  }

  #isTaken({ metadata: { namespace = "" } }: ReplicaSet): (name: string) => boolean {
    const informer = this.#deps.context.informers.of(pods);
    return (name) => informer.find({ namespace, name }) !== undefined;
  }

  #planStatus(
    set: ReplicaSet,
    owned: OwnedPods,
    outcome: { failure: ReplicaFailure | undefined } | undefined,
  ): ReplicaSetStatus {
    const { active, terminating } = owned;
    return planStatus({ set, active, terminating, outcome }, this.#deps.context.clock.nowMs());
  }
}

function restMs({ active, terminating }: OwnedPods): number {
  const count = active.length + terminating.length;
  return count < restFromPods ? 0 : count * restMsOfPod;
}
