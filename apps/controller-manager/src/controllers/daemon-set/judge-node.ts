import {
  compareText,
  findCondition,
  isPodAvailable,
  isPodReady,
  type Node,
  parseTimestamp,
  type Pod,
  type PodTemplateSpec,
} from "@kintsugi/api";
import { judgeEligibility } from "@kintsugi/rules";
import { isUpdated, type RolloutFacts, type RolloutStep, rollNode, surplusOfSurge } from "./plan-rolling.ts";

// One node of one set, independent of all other nodes: a change of one node or pod costs one
// judgement, regardless of the number of nodes. A judgement consists of the node's part of the
// sums, which the set's status and rollout are computed from, and of the steps that the node waits
// for:
//
//   node, pods ──judgeNode──► NodeJudgement ──SetLedger──► sums ──planSteps──► creations, deletions

/** The facts about a set that apply to each of its nodes. */
export interface SetFacts extends RolloutFacts {
  template: PodTemplateSpec;
}

export interface NodeFacts {
  /** Undefined for a node that no longer exists. */
  node: Node | undefined;
  /** The pods of the set that are on the node, or will be bound to it. */
  pods: readonly Pod[];
  /** A write for the node is in flight, or the caches do not contain it yet. */
  isPending: boolean;
  /** The time for which a failed pod has to remain, so that pods do not fail in a tight loop. */
  failedPodWaitMs: number;
}

export interface NodeCounts {
  desired: number;
  current: number;
  misscheduled: number;
  ready: number;
  available: number;
  updated: number;
  /** 1 for a node that uses up one unit of maxUnavailable or maxSurge. */
  used: number;
  /** A pod serves here, old or new; the surge also counts nodes that are no longer eligible. */
  serving: number;
}

export interface Removal {
  pod: Pod;
  /** The pod has ended; an event reports it. */
  ended?: "failed" | "succeeded";
}

export interface NodeJudgement {
  counts: NodeCounts;
  /** The node needs a pod and does not have a pod. */
  create: boolean;
  remove: readonly Removal[];
  rollout: RolloutStep | undefined;
  /** The judgement changes after this time, even without an event. */
  recheckAfterMs: number | undefined;
}

const nothing: NodeCounts = {
  desired: 0,
  current: 0,
  misscheduled: 0,
  ready: 0,
  available: 0,
  updated: 0,
  used: 0,
  serving: 0,
};

export function judgeNode(set: SetFacts, facts: NodeFacts, nowMs: number): NodeJudgement {
  const pods = facts.pods.toSorted(compareDaemonPods);
  const eligible = facts.node === undefined ? { run: false, stay: false } : judgeEligibility(set.template, facts.node);
  const counts = countNode(set, { ...facts, pods }, { run: eligible.run, nowMs });
  const waits = pods.flatMap((pod) => availableAfterMs(set, pod, nowMs) ?? []);
  if (facts.isPending) {
    // A write counts only when the caches contain it.
    const used = set.strategy === "on delete" ? 0 : 1;
    return {
      counts: { ...counts, used, serving: 0 },
      create: false,
      remove: [],
      rollout: undefined,
      ...recheck(waits),
    };
  }
  const managed = manageNode(set, { ...facts, pods }, { ...eligible, nowMs });
  const rolled = rollNode(set, pods, { run: eligible.run, nowMs });
  return {
    counts: { ...counts, used: rolled.used, serving: rolled.serving },
    create: managed.create,
    remove: managed.remove,
    rollout: rolled.step,
    ...recheck([...waits, ...managed.waitsMs]),
  };
}

/** Bound pods first, then the oldest: the first of them is the pod that counts. */
function compareDaemonPods(a: Pod, b: Pod): number {
  const [boundA, boundB] = [a, b].map(({ spec }) => Number((spec?.nodeName ?? "") !== "")) as [number, number];
  if (boundA !== boundB) return boundB - boundA;
  const [madeA, madeB] = [a, b].map(({ metadata }) => metadata.creationTimestamp ?? "") as [string, string];
  return compareText(madeA, madeB) || compareText(a.metadata.name ?? "", b.metadata.name ?? "");
}

/** The node's part of the status, as upstream's updateDaemonSetStatus counts it. */
function countNode(set: SetFacts, { node, pods }: NodeFacts, { run, nowMs }: { run: boolean; nowMs: number }) {
  const [pod] = pods;
  if (node === undefined) return nothing;
  if (!run) return { ...nothing, misscheduled: pod === undefined ? 0 : 1 };
  if (pod === undefined) return { ...nothing, desired: 1 };
  return {
    ...nothing,
    desired: 1,
    current: 1,
    ready: Number(isPodReady(pod)),
    available: Number(isPodAvailable(pod, set.minReadySeconds, nowMs)),
    updated: Number(isUpdated(set, pod)),
  };
}

interface Managed {
  create: boolean;
  remove: Removal[];
  waitsMs: number[];
}

/** One pod on each eligible node and no pods on other nodes: upstream's podsShouldBeOnNode. */
function manageNode(
  set: SetFacts,
  { node, pods, failedPodWaitMs }: NodeFacts,
  { run, stay, nowMs }: { run: boolean; stay: boolean; nowMs: number },
): Managed {
  const managed: Managed = { create: false, remove: [], waitsMs: [] };
  if (run && pods.length === 0) return { ...managed, create: true };
  const alive = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  // pod-gc deletes the pods of a node that no longer exists, except pods that were never bound to
  // it.
  if (node === undefined) return { ...managed, remove: alive.filter(isUnbound).map((pod) => ({ pod })) };
  if (!stay) return { ...managed, remove: alive.map((pod) => ({ pod })) };
  const running: Pod[] = [];
  for (const pod of alive) {
    if (pod.status?.phase === "Failed") {
      if (failedPodWaitMs > 0) managed.waitsMs.push(failedPodWaitMs);
      else managed.remove.push({ pod, ended: "failed" });
    } else if (pod.status?.phase === "Succeeded") managed.remove.push({ pod, ended: "succeeded" });
    else running.push(pod);
  }
  if (set.strategy !== "surge") managed.remove.push(...running.slice(1).map((pod) => ({ pod })));
  else if (running.length === 0) managed.create = run;
  else managed.remove.push(...surplusOfSurge(set, running, nowMs).map((pod) => ({ pod })));
  return managed;
}

function isUnbound({ spec }: Pod): boolean {
  return (spec?.nodeName ?? "") === "";
}

/** Undefined for a pod that is available, or that is not ready. */
function availableAfterMs({ minReadySeconds }: SetFacts, pod: Pod, nowMs: number): number | undefined {
  const since = isPodReady(pod) ? findCondition(pod.status?.conditions, "Ready")?.lastTransitionTime : undefined;
  if (since === undefined) return undefined;
  const waitMs = parseTimestamp(since) + minReadySeconds * 1000 - nowMs;
  return waitMs > 0 ? waitMs : undefined;
}

function recheck(waitsMs: readonly number[]): { recheckAfterMs: number | undefined } {
  return { recheckAfterMs: waitsMs.length === 0 ? undefined : Math.min(...waitsMs) };
}
