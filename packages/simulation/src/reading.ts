import { findCondition, type Node, type Pod } from "@kintsugi/api";

/** Whether a node, or a pod, says of itself that it is Ready. */
export function isReady(object: Node | Pod): boolean {
  return findCondition(object.status?.conditions, "Ready")?.status === "True";
}

/** Counts against its owner's replicas: neither on its way out nor ended. */
export function isActive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== "Succeeded" && status?.phase !== "Failed";
}
