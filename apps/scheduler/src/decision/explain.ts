import type { Rejections } from "./filter-nodes.ts";

/** When there is no node at all. */
export const noNodesMessage = "no nodes available to schedule pods";

/**
 * Upstream's sentence: "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable. preemption: …". The reasons
 * are sorted as text, number first, as upstream sorts them.
 */
export function explainRejection(rejections: Rejections, preemption: string): string {
  if (rejections.nodeCount === 0) return noNodesMessage;
  const because = rejections.podBecause ?? counted(reasonsOf(rejections));
  return `${available(rejections.nodeCount)} ${because}. ${preemption}`.trimEnd();
}

/** What preemption says when it cannot help: for each node, why. */
export function explainNoPreemption(nodeCount: number, helpfulNodes: number): string {
  const reasons = new Map<string, number>();
  if (helpfulNodes > 0) reasons.set("No preemption victims found for incoming pod", helpfulNodes);
  if (nodeCount > helpfulNodes) reasons.set("Preemption is not helpful for scheduling", nodeCount - helpfulNodes);
  return `preemption: ${available(nodeCount)} ${counted(reasons)}.`;
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
