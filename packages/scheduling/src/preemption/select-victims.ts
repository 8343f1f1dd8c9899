import type { PodDisruptionBudget } from "@kintsugi/api";
import type { NodeInfo } from "../cluster-state/node-info.ts";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { Snapshot } from "../cluster-state/snapshot.ts";
import { Supposition } from "../cluster-state/supposition.ts";
import { type PreparedSuppositions, runFiltersOnSupposition } from "../decision/filtering/suppositions.ts";
import { rejectionText } from "../framework/rejection-reason.ts";
import { splitByBudgets } from "./budget-room.ts";

/** A node on which the pod would fit without these pods. */
export interface Candidate {
  readonly nodeName: string;
  /** Never empty; the most important first. */
  readonly victims: readonly PodInfo[];
  /** The number of victims that a PodDisruptionBudget would keep. */
  readonly violations: number;
}

interface VictimsOptions {
  readonly snapshot: Snapshot;
  readonly budgets: readonly PodDisruptionBudget[];
  /** The pod's filters for suppositions about the snapshot. */
  readonly prepared: PreparedSuppositions;
}

/**
 * The smallest set of pods to evict from the node for the pod to fit. All less important pods are
 * removed in a supposition, and then added again one by one, the most important first, while the
 * pod still fits.
 */
export function selectVictims(
  pod: PodInfo,
  node: NodeInfo,
  { snapshot, budgets, prepared }: VictimsOptions,
): Candidate | { because: readonly string[] } {
  const lessImportant = [...node.pods()].filter(({ priority }) => priority < pod.priority);
  if (lessImportant.length === 0) return { because: ["No preemption victims found for incoming pod"] };
  const supposition = new Supposition(snapshot, node);
  for (const { uid } of lessImportant) supposition.node.remove(uid);
  const rejection = runFiltersOnSupposition(prepared, supposition);
  if (rejection !== undefined) return { because: rejection.verdict.because.map(rejectionText) };

  const victims: PodInfo[] = [];
  const reprieve = (candidates: readonly PodInfo[]): number => {
    const before = victims.length;
    for (const candidate of candidates) {
      supposition.node.put(candidate);
      if (runFiltersOnSupposition(prepared, supposition) === undefined) continue;
      supposition.node.remove(candidate.uid);
      victims.push(candidate);
    }
    return victims.length - before;
  };
  const { breaking, allowed } = splitByBudgets(lessImportant.toSorted(byImportance), budgets);
  // This project's rule: a pod that is already terminating is added back last, so that another pod
  // is not evicted in its place.
  const leavingLast = (pods: readonly PodInfo[]) => {
    const isLeaving = ({ uid, isTerminating }: PodInfo) => isTerminating || snapshot.isBeingPreempted(uid);
    return [...pods.filter((other) => !isLeaving(other)), ...pods.filter(isLeaving)];
  };
  const violations = reprieve(leavingLast(breaking));
  reprieve(leavingLast(allowed));
  return { nodeName: node.name, victims: victims.toSorted(byImportance), violations };
}

/**
 * The more important pod first: the higher priority, and at equal priority the pod that has run
 * longer.
 */
function byImportance(a: PodInfo, b: PodInfo): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  const [startA, startB] = [startOf(a), startOf(b)];
  return startA < startB ? -1 : startA > startB ? 1 : 0;
}

/**
 * Timestamps of the API have one format, so their strings sort by time. A pod that has not started
 * is the newest.
 */
export function startOf({ pod }: PodInfo): string {
  return pod.status?.startTime ?? "9999";
}
