import {
  type ControllerRevision,
  findCondition,
  isPodTerminating,
  matchesLabels,
  nodes,
  parseKey,
  persistentVolumeClaims,
  type Pod,
  pods,
  sameJson,
  type StatefulSet,
  statefulSets,
  toSelector,
} from "@kintsugi/api";
import { done, type Reconciler, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { nextAvailabilityMs } from "../../shared/next-availability.ts";
import { Claimer } from "../../shared/owners/claimer.ts";
import { templateOf } from "../../shared/revision-history/revision-data.ts";
import { type RecordedRevision, RevisionHistory } from "../../shared/revision-history/revision-history.ts";
import { inParallel, inSlowStart } from "../../shared/writes/in-parallel.ts";
import { behindRetryMs, WrittenObjects } from "../../shared/writes/written-objects.ts";
import { isInRange, ordinalOf, revisionNameOf } from "./identity.ts";
import { membersOf, type ObservedSet, planOrdinals, type PodAction, type OrdinalPlan } from "./plan-ordinals.ts";
import { planSetStatus } from "./plan-status.ts";
import { planWaiting, waitingForNodeCondition } from "@kintsugi/rules";
import { PodWriter } from "./pod-writer.ts";

/**
 * Concurrent writes of one Parallel set. Each write is small, and other sets have to be served too.
 */
const writesInFlightMax = 32;

/** A claim that blocks a pod is read again after this time, unless another change comes first. */
const claimRetryMs = 5000;

// One pass over a set:
//
//   its pods         adopted, or released where they do not match
//   its revisions    adopted; the present template is recorded as the latest revision
//   its claims       get the owners of the retention policy
//   its pods         the planned steps
//   its status       even if a step has failed
//   its revisions    beyond the limit are deleted
//
// A pod's name is unique in the API and is its identity, so a write that is repeated, late or of
// unknown outcome never makes a second pod. Pods are never force-deleted: a pod on a silent node
// remains until the node, its deletion or an operator confirms the end.

/** Maintains the pods of StatefulSets. */
export class StatefulSetReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #claimer: Claimer<Pod>;
  readonly #history: RevisionHistory<StatefulSet>;
  readonly #writer: PodWriter;
  readonly #written: WrittenObjects;

  constructor(context: ControllerContext) {
    const { client, informers } = context;
    this.#context = context;
    this.#claimer = new Claimer(client, {
      ownerType: statefulSets,
      type: pods,
      mayChange: ({ metadata }) => metadata.deletionTimestamp === undefined,
    });
    this.#history = new RevisionHistory(context, statefulSets);
    this.#written = new WrittenObjects(informers.of(pods));
    this.#writer = new PodWriter({ ...context, written: this.#written });
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { informers, clock } = this.#context;
    const set = informers.of(statefulSets).find(parseKey(key));
    if (set === undefined) {
      this.#written.forget(key);
      return done;
    }
    const own = await this.#claimPods(set, signal);
    if (this.#written.isAheadOf(key, own)) return { retryAfterMs: behindRetryMs };
    const recorded = await this.#history.record(set, await this.#history.claim(set, signal));
    const observed = this.#observe(set, own, recorded);
    const plan = planOrdinals(observed, clock.nowMs());
    const error = await this.#perform(set, key, { observed, plan, signal }).catch((failure: unknown) => ({ failure }));
    await this.#writeStatus(set, { observed, recorded, plan });
    if (error !== undefined) throw error.failure;
    await this.#truncate(observed, recorded);
    return this.#nextLook(observed, plan);
  }

  async #claimPods(set: StatefulSet, signal: AbortSignal): Promise<Pod[]> {
    const { namespace = "", uid = "" } = set.metadata;
    const informer = this.#context.informers.of(pods);
    const candidates = [...informer.byIndex("controller", uid), ...informer.byIndex("orphan", namespace)];
    const isMember = (pod: Pod) => ordinalOf(set, pod) !== undefined;
    return this.#claimer.claim({ owner: set, selector: set.spec?.selector, isMember }, candidates, signal);
  }

  #observe(set: StatefulSet, own: readonly Pod[], { latest, revisions }: RecordedRevision): ObservedSet {
    const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? latest;
    const named = (revision: ControllerRevision) => ({
      name: revision.metadata.name ?? "",
      template: revision === latest ? (set.spec?.template ?? {}) : templateOf(revision),
    });
    const claims = this.#context.informers.of(persistentVolumeClaims);
    const { namespace = "" } = set.metadata;
    return {
      set,
      members: membersOf(set, own),
      current: named(current),
      update: named(latest),
      findClaim: (name) => claims.find({ namespace, name }),
    };
  }

  async #perform(
    set: StatefulSet,
    key: string,
    { observed, plan, signal }: { observed: ObservedSet; plan: OrdinalPlan; signal: AbortSignal },
  ): Promise<void> {
    if (set.metadata.deletionTimestamp !== undefined) return;
    // Validation rejects a set whose selector does not match its template, because every new pod
    // would be released immediately.
    if (!matchesLabels(toSelector(set.spec?.selector), set.spec?.template.metadata?.labels)) {
      throw new Error(`the selector of stateful set ${key} does not match the labels of its own template`);
    }
    // A claim gets its owner before its pod is deleted, because otherwise the garbage collector
    // would not find the owner.
    for (const member of observed.members) await this.#writer.applyRetention(set, member);
    const isCreation = ({ do: verb }: PodAction) => verb === "create" || verb === "claims";
    const creations = plan.actions.filter(isCreation);
    const others = plan.actions.filter((action) => !isCreation(action));
    const apply = (action: PodAction) => this.#writer.apply(set, key, action);
    const failures = [
      ...(await inSlowStart(creations, signal, apply)),
      ...(await inParallel(others, writesInFlightMax, apply)),
    ];
    if (failures.length > 0) throw failures[0];
  }

  async #writeStatus(
    set: StatefulSet,
    { observed, recorded, plan }: { observed: ObservedSet; recorded: RecordedRevision; plan: OrdinalPlan },
  ): Promise<void> {
    const { client, clock, informers, recordEvent } = this.#context;
    const own = observed.members.map(({ pod }) => pod);
    const waiting = planWaiting(own, (name) => informers.of(nodes).find({ namespace: "", name }));
    const { current } = observed;
    const status = planSetStatus(
      { set, pods: own, current: current.name, recorded, actions: plan.actions, waiting },
      clock.nowMs(),
    );
    if (sameJson(status, set.status)) return;
    await client.update(statefulSets, { ...set, status }, { subresource: "status" });
    const message = findCondition(status.conditions, waitingForNodeCondition)?.message;
    if (message === undefined || message === findCondition(set.status?.conditions, waitingForNodeCondition)?.message)
      return;
    recordEvent({ about: referenceTo(statefulSets, set), type: "Warning", reason: "WaitingForNode", message });
  }

  async #truncate({ set, members, current, update }: ObservedSet, { revisions }: RecordedRevision): Promise<void> {
    const live = new Set([current.name, update.name, ...members.map(({ pod }) => revisionNameOf(pod))]);
    await this.#history.truncate(set, revisions, ({ metadata }) => live.has(metadata.name ?? ""));
  }

  #nextLook({ set, members }: ObservedSet, plan: OrdinalPlan): ReconcileResult {
    const ofSet = members.filter(({ ordinal, pod }) => isInRange(set, ordinal) && !isPodTerminating(pod));
    const waits = [
      nextAvailabilityMs(
        ofSet.map(({ pod }) => pod),
        set.spec?.minReadySeconds,
        this.#context.clock.nowMs(),
      ),
      plan.blockedByClaim === undefined ? undefined : claimRetryMs,
    ].filter((wait) => wait !== undefined);
    return waits.length === 0 ? done : { retryAfterMs: Math.min(...waits) };
  }
}
