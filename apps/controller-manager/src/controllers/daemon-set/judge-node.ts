import {
  compareText,
  findCondition,
  isPodAvailable,
  isPodReady,
  type Node,
  parseTimestamp,
  type Pod,
  type PodTemplateSpec,
  controllerRevisionHashLabel,
} from "@kintsugi/api";
import { judgeEligibility } from "@kintsugi/rules";

// One node of one set, independent of all other nodes: a change of one node or pod costs one
// judgement, whatever the number of nodes. A judgement consists of the node's part of the sums,
// which the set's status and rollout are computed from, and of the steps that the node waits for:
//
//   node, pods ──judgeNode──► NodeJudgement ──SetLedger──► sums ──planSteps──► creations, deletions

/** The facts about a set that apply to each of its nodes. */
export interface SetFacts {
  template: PodTemplateSpec;
  minReadySeconds: number;
  /** Hashes of the revisions that record the present template. */
  hashes: ReadonlySet<string>;
  /** The strategy that replaces old pods. */
  strategy: "on delete" | "stop first" | "surge";
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
  /** 1 for a node that uses up one of maxUnavailable, or of maxSurge. */
  used: number;
  /** A pod serves here, old or new; the surge also counts nodes that are no longer eligible. */
  serving: number;
}

export interface Removal {
  pod: Pod;
  /** The pod has ended; an event reports it. */
  ended?: "failed" | "succeeded";
}

/** A step of a rollout waits for maxUnavailable or maxSurge, or for enough pods on other nodes. */
export type RolloutStep = ({ do: "delete"; pod: Pod } | { do: "create" }) & { when: "now" | "room" | "enough" };

export interface NodeJudgement {
  counts: NodeCounts;
  /** The node needs a pod and does not have one. */
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

function isUpdated({ hashes }: SetFacts, { metadata }: Pod): boolean {
  return hashes.has(metadata.labels?.[controllerRevisionHashLabel] ?? "");
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
  else managed.remove.push(...surplus(set, running, nowMs).map((pod) => ({ pod })));
  return managed;
}

function isUnbound({ spec }: Pod): boolean {
  return (spec?.nodeName ?? "") === "";
}

/**
 * A surge allows one old pod that is ready in addition to one new pod that is not available yet;
 * every other pod is superfluous.
 */
function surplus(set: SetFacts, running: readonly Pod[], nowMs: number): Pod[] {
  if (running.length < 2) return [];
  const fresh = running.filter((pod) => isUpdated(set, pod));
  const old = running.filter((pod) => !isUpdated(set, pod));
  const [keptNew] = fresh;
  const [keptOld] = old;
  const others = [...fresh.slice(1), ...old.slice(1)];
  if (keptNew === undefined || keptOld === undefined) return others;
  const isOldDone = !isPodReady(keptOld) || isPodAvailable(keptNew, set.minReadySeconds, nowMs);
  return isOldDone ? [...others, keptOld] : others;
}

interface Rolled {
  used: number;
  serving: number;
  step: RolloutStep | undefined;
}

/** The node's part of a rolling update, as in upstream's loop over the nodes in rollingUpdate. */
function rollNode(set: SetFacts, pods: readonly Pod[], { run, nowMs }: { run: boolean; nowMs: number }): Rolled {
  const idle: Rolled = { used: 0, serving: 0, step: undefined };
  if (set.strategy === "on delete" || (pods.length === 0 && !run)) return idle;
  const alive = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const fresh = alive.filter((pod) => isUpdated(set, pod));
  const old = alive.filter((pod) => !isUpdated(set, pod));
  // Superfluous pods are removed first.
  if (fresh.length > 1 || old.length > 1) return { ...idle, used: 1 };
  const isServing = (pod: Pod | undefined) => pod !== undefined && isPodAvailable(pod, set.minReadySeconds, nowMs);
  const [newPod, oldPod] = [fresh[0], old[0]];
  const roll = set.strategy === "surge" ? rollBySurge : rollByStop;
  return roll({ newPod, oldPod, newServes: isServing(newPod), oldServes: isServing(oldPod), run });
}

interface Pair {
  newPod: Pod | undefined;
  oldPod: Pod | undefined;
  newServes: boolean;
  oldServes: boolean;
  run: boolean;
}

/** The old pod stops before the new one starts. */
function rollByStop({ newPod, oldPod, newServes, oldServes }: Pair): Rolled {
  const serving = Number(oldPod === undefined ? newServes : oldServes);
  if ((newPod === undefined) === (oldPod === undefined)) return { used: 1, serving, step: undefined };
  if (oldPod === undefined) return { used: newServes ? 0 : 1, serving, step: undefined };
  if (!oldServes) return { used: 1, serving, step: { do: "delete", pod: oldPod, when: "now" } };
  return { used: 0, serving, step: { do: "delete", pod: oldPod, when: "room" } };
}

/** The new pod starts in addition to the old pod, which stops when the new pod is available. */
function rollBySurge({ newPod, oldPod, newServes, oldServes, run }: Pair): Rolled {
  const serving = Number(oldPod === undefined ? newServes : oldServes);
  if (oldPod === undefined) return { used: 0, serving, step: undefined };
  if (newPod !== undefined) {
    if (!newServes) return { used: 1, serving, step: undefined };
    return { used: 0, serving, step: { do: "delete", pod: oldPod, when: "now" } };
  }
  if (!run) return { used: 0, serving, step: { do: "delete", pod: oldPod, when: oldServes ? "enough" : "now" } };
  return { used: 0, serving, step: { do: "create", when: oldServes ? "room" : "now" } };
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
