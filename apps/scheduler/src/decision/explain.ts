import type { NodeInfo } from "../cluster-state/node-info.ts";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { Snapshot } from "../cluster-state/snapshot.ts";
import type { Rejections } from "./filter-nodes.ts";

/** When there is no node at all. */
const noNodesMessage = "no nodes available to schedule pods";

/**
 * Upstream's sentence: "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable. preemption: …". The reasons
 * are sorted as text, number first, as upstream sorts them.
 */
export function explainRejection(rejections: Rejections, preemption: string): string {
  if (rejections.nodeCount === 0) return noNodesMessage;
  const because = rejections.podBecause ?? counted(reasonsOf(rejections));
  return `${available(rejections.nodeCount)} ${because}. ${preemption}`.trimEnd();
}

/**
 * What preemption says: for each node, why it does not help. Upstream would make room on nodes with less important pods; this
 * scheduler does not, and does not claim to have found none.
 */
export function explainNoPreemption(pod: PodInfo, snapshot: Snapshot, rejections: Rejections): string {
  if (pod.pod.spec?.preemptionPolicy === "Never") return "preemption: not eligible due to preemptionPolicy=Never.";
  const reasons = new Map<string, number>();
  for (const [nodeName, { evictionMayHelp }] of rejections.byNode) {
    const reason = evictionMayHelp
      ? hasLessImportantPods(snapshot.find(nodeName), pod)
        ? "Preemption of lower priority pods is not supported"
        : "No preemption victims found for incoming pod"
      : "Preemption is not helpful for scheduling";
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return `preemption: ${available(rejections.nodeCount)} ${counted(reasons)}.`;
}

function hasLessImportantPods(node: NodeInfo | undefined, pod: PodInfo): boolean {
  for (const placed of node?.pods() ?? []) if (placed.priority < pod.priority) return true;
  return false;
}

function available(nodeCount: number): string {
  return `0/${nodeCount} nodes are available:`;
}

function reasonsOf(rejections: Rejections): ReadonlyMap<string, number> {
  const reasons = new Map<string, number>();
  for (const { because } of rejections.byNode.values()) {
    for (const reason of because) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return reasons;
}

function counted(reasons: ReadonlyMap<string, number>): string {
  return [...reasons]
    .map(([reason, count]) => `${count} ${reason}`)
    .toSorted(byBytes)
    .join(", ");
}

/** Go sorts strings by their bytes; so do comparisons of ASCII text here. */
function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
