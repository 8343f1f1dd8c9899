import { findCondition, isPodTerminal, type Node, type Pod } from "@kintsugi/api";
import { wasGivenUp } from "../../shared/given-up-pods.ts";

export type CollectionReason = "terminated" | "out-of-service" | "orphaned" | "unscheduled";

export interface Collection {
  pod: Pod;
  /** The reason, as in the metric pod_gc_collector_force_delete_pods_total. */
  reason: CollectionReason;
}

export interface PodGcInput {
  pods: readonly Pod[];
  nodes: ReadonlyMap<string, Node>;
  /** Names of nodes that certainly do not exist, and have not existed for the quarantine. */
  goneNodes: ReadonlySet<string>;
  /** Terminated pods beyond this number are deleted; 0 or less retains all pods. */
  terminatedPodThreshold: number;
}

const outOfServiceTaintKey = "node.kubernetes.io/out-of-service";

/**
 * Chooses the pods that other components never remove: upstream's four passes, in its order, each
 * pod once.
 */
export function planPodGc(input: PodGcInput): Collection[] {
  const chosen = new Map<Pod, CollectionReason>();
  const choose = (pod: Pod, reason: CollectionReason) => {
    if (!chosen.has(pod)) chosen.set(pod, reason);
  };
  for (const pod of excessTerminated(input)) choose(pod, "terminated");
  for (const pod of input.pods) {
    const nodeName = pod.spec?.nodeName ?? "";
    const isGoing = pod.metadata.deletionTimestamp !== undefined;
    if (isGoing && isOutOfService(input.nodes.get(nodeName))) choose(pod, "out-of-service");
    if (nodeName !== "" && input.goneNodes.has(nodeName)) choose(pod, "orphaned");
    if (isGoing && nodeName === "") choose(pod, "unscheduled");
    // The pod was marked Failed but not deleted, and the node may have returned in the meantime.
    // The pod would remain forever, although its owner has replaced it. Upstream does not delete
    // such a pod.
    if (!isGoing && wasGivenUp(pod)) choose(pod, "orphaned");
  }
  return [...chosen].map(([pod, reason]) => ({ pod, reason }));
}

/** Names of nodes to which pods are bound, but which the cache does not contain. */
export function missingNodes(pods: readonly Pod[], nodes: ReadonlyMap<string, Node>): Set<string> {
  const names = pods.map((pod) => pod.spec?.nodeName ?? "").filter((name) => name !== "" && !nodes.has(name));
  return new Set(names);
}

/** Chooses the terminated pods beyond the threshold: evicted pods first, then the oldest. */
function excessTerminated({ pods, terminatedPodThreshold }: PodGcInput): Pod[] {
  if (terminatedPodThreshold <= 0) return [];
  const terminated = pods.filter(isPodTerminal);
  const excess = terminated.length - terminatedPodThreshold;
  if (excess <= 0) return [];
  const evicted = (pod: Pod) => (pod.status?.reason === "Evicted" ? 0 : 1);
  const created = (pod: Pod) => pod.metadata.creationTimestamp ?? "";
  return terminated
    .toSorted((a, b) => evicted(a) - evicted(b) || (created(a) < created(b) ? -1 : created(a) > created(b) ? 1 : 0))
    .slice(0, excess);
}

/**
 * Reports whether an operator has confirmed that the node is off, so that its kubelet will never
 * confirm the end of a pod.
 */
function isOutOfService(node: Node | undefined): boolean {
  if (!node || findCondition(node.status?.conditions, "Ready")?.status === "True") return false;
  return (node.spec?.taints ?? []).some((taint) => taint.key === outOfServiceTaintKey);
}
