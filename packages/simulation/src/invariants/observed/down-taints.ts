import { findCondition, type Node, type Pod, regionLabel, type Taint, zoneLabel } from "@kintsugi/api";

const downKeys: readonly string[] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** The taint that evicts pods from a node which is down. */
export function downTaintOf(node: Node | undefined): Taint | undefined {
  return node?.spec?.taints?.find(({ key, effect }) => effect === "NoExecute" && downKeys.includes(key));
}

/** A user has declared that the machine is off. */
export function isOutOfService({ spec }: Node): boolean {
  return (spec?.taints ?? []).some(({ key }) => key === "node.kubernetes.io/out-of-service");
}

/** Returns the node's condition Ready; undefined for a node that never had the condition. */
export function readyOf(node: Node | undefined): string | undefined {
  return findCondition(node?.status?.conditions, "Ready")?.status;
}

export function zoneKeyOf({ metadata }: Node): string {
  const { labels = {} } = metadata;
  return `${labels[regionLabel] ?? ""}:${labels[zoneLabel] ?? ""}`;
}

/** The pod is evicted because of a taint; its deletion follows. */
export function isTaintEvicted({ status }: Pod): boolean {
  const target = findCondition(status?.conditions, "DisruptionTarget");
  return target?.status === "True" && target.reason === "DeletionByTaintManager";
}
