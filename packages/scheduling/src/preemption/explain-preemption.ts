import { compareText } from "@kintsugi/api";
import type { PreemptionPlan } from "./plan-preemption.ts";
import { type RejectionReason, rejectionText } from "../framework/rejection-reason.ts";
import type { NodeRejection, Rejections } from "../decision/filtering/filter-result.ts";

/** The message of a cluster without nodes. */
const noNodesMessage = "no nodes available to schedule pods";

/**
 * Upstream's sentence: "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.
 * preemption: …". The reasons are sorted as text, number first, as upstream sorts them.
 */
export function explainRejection(rejections: Rejections, preemption: string): string {
  if (rejections.nodeCount === 0) return noNodesMessage;
  const because = rejections.podBecause ?? counted(reasonsOf(rejections));
  return `${available(rejections.nodeCount)} ${because}. ${preemption}`.trimEnd();
}

/**
 * Explains why the pod may not preempt or, counted by nodes, why preemption does not help. The text
 * is empty for a plan that makes room.
 */
export function explainPreemption(plan: PreemptionPlan, nodeCount: number): string {
  switch (plan.is) {
    case "preempt":
      return "";
    case "not eligible":
      return `preemption: ${plan.why}`;
    case "no candidate":
      return `preemption: ${available(nodeCount)} ${counted(countsOf(plan.reasons))}.`;
  }
}

function available(nodeCount: number): string {
  return `0/${nodeCount} nodes are available:`;
}

function reasonsOf({ byNode, passedOver }: Rejections): ReadonlyMap<string, number> {
  // Thousands of nodes have few different verdicts, so the verdicts are counted first, and then
  // their reasons.
  const verdicts = new Map<NodeRejection, number>();
  for (const verdict of byNode.values()) verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
  const counts = new Map<string, number>();
  const add = (because: readonly RejectionReason[], count: number) => {
    for (const text of because.map(rejectionText)) counts.set(text, (counts.get(text) ?? 0) + count);
  };
  for (const [{ because }, count] of verdicts) add(because, count);
  if (passedOver !== undefined) add(passedOver.because, passedOver.count);
  return counts;
}

function countsOf(reasons: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return counts;
}

function counted(reasons: ReadonlyMap<string, number>): string {
  return [...reasons]
    .map(([reason, count]) => `${count} ${reason}`)
    .toSorted(compareText)
    .join(", ");
}
