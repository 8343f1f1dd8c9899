import { isDisruptedBy, type PodDisruptionBudget } from "@kintsugi/api";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { Snapshot } from "../cluster-state/snapshot.ts";
import type { Rejections } from "../decision/filtering/filter-result.ts";
import { prepareSuppositions } from "../decision/filtering/suppositions.ts";
import type { Plugin } from "../framework/plugin.ts";
import { chooseNode } from "./choose-node.ts";
import { type Candidate, selectVictims } from "./select-victims.ts";

// The plan for a pod that fits no node:
//
//   may it preempt? ──no──► wait, the nomination stays ("not eligible due to …")
//        │ yes
//   nodes whose rejection an          on each: the fewest less important
//   eviction may change     ────────► pods to evict
//        │ none helps                      │
//        ▼                                 ▼
//   wait, no nomination               the node with the smallest loss ──► nominate, then delete
//   ("0/3 nodes are available: …")

/**
 * Number of candidates that are enough to choose from, as in upstream (minCandidateNodesPercentage,
 * minCandidateNodesAbsolute).
 */
const candidatesShare = 0.1;
const candidatesAtLeast = 100;

export interface PreemptionOptions {
  /** The reasons why the pod does not fit any node. */
  readonly rejections: Rejections;
  readonly budgets: readonly PodDisruptionBudget[];
  readonly plugins: readonly Plugin[];
  /**
   * A number in [0, 1) that chooses the first node to try, so that equal nodes are chosen in turn.
   */
  readonly tieBreaker: number;
}

export type PreemptionPlan =
  /**
   * Room can be made on this node by deleting these pods. Pods that are already terminating are not
   * among them.
   */
  | { is: "preempt"; nodeName: string; victims: readonly PodInfo[] }
  /**
   * The pod may not preempt, or has already preempted and waits for the room. Its nomination
   * remains.
   */
  | { is: "not eligible"; why: string }
  /** No eviction helps. */
  | { is: "no candidate"; reasons: readonly string[] };

/**
 * Plans room for a pod that does not fit any node, on the node with the smallest loss, or explains
 * why room cannot be made. Pure.
 */
export function planPreemption(pod: PodInfo, snapshot: Snapshot, options: PreemptionOptions): PreemptionPlan {
  const why = whyNotEligible(pod, snapshot, options.rejections);
  if (why !== undefined) return { is: "not eligible", why };
  const { candidates, reasons } = findCandidates(pod, snapshot, options);
  const chosen = chooseNode(candidates);
  if (chosen === undefined) return { is: "no candidate", reasons };
  const victims = chosen.victims.filter(({ uid, isTerminating }) => !isTerminating && !snapshot.isBeingPreempted(uid));
  return { is: "preempt", nodeName: chosen.nodeName, victims };
}

function whyNotEligible(pod: PodInfo, snapshot: Snapshot, rejections: Rejections): string | undefined {
  if (pod.pod.spec?.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const nodeName = snapshot.nominatedNode(pod.uid);
  // If removing pods from the nominated node no longer helps, the pod does not wait for the room.
  if (nodeName === undefined || rejections.byNode.get(nodeName)?.evictionMayHelp !== true) return undefined;
  for (const placed of snapshot.find(nodeName)?.pods() ?? []) {
    if (placed.priority < pod.priority && isLeavingByPreemption(placed, snapshot)) {
      return "not eligible due to a terminating pod on the nominated node.";
    }
  }
  return undefined;
}

function isLeavingByPreemption({ uid, isTerminating, pod }: PodInfo, snapshot: Snapshot): boolean {
  if (snapshot.isBeingPreempted(uid)) return true;
  return isTerminating && isDisruptedBy(pod.status?.conditions, "PreemptionByScheduler");
}

function findCandidates(
  pod: PodInfo,
  snapshot: Snapshot,
  { rejections, budgets, plugins, tieBreaker }: PreemptionOptions,
): { candidates: readonly Candidate[]; reasons: readonly string[] } {
  const potential = snapshot.nodes.filter(({ name }) => rejections.byNode.get(name)?.evictionMayHelp === true);
  const unhelpful = snapshot.nodes.length - potential.length;
  const reasons: string[] = Array.from({ length: unhelpful }, () => "Preemption is not helpful for scheduling");
  const enough = Math.max(candidatesAtLeast, Math.floor(potential.length * candidatesShare));
  const first = Math.floor(tieBreaker * potential.length);
  const candidates: Candidate[] = [];
  const prepared = prepareSuppositions(pod, snapshot, plugins);
  for (const node of [...potential.slice(first), ...potential.slice(0, first)]) {
    const found = selectVictims(pod, node, { snapshot, budgets, prepared });
    if ("because" in found) reasons.push(...found.because);
    else candidates.push(found);
    // The candidates have to include a candidate that does not violate a budget.
    if (candidates.length >= enough && candidates.some(({ violations }) => violations === 0)) break;
  }
  return { candidates, reasons };
}
