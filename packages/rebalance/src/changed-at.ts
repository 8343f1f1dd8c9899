import { findCondition, type Node, parseTimestamp, type Pod } from "@kintsugi/api";

/** Returns when a node or pod was created, or its readiness last changed; 0 if that is unknown. */
export function changedAtMs({ metadata, status }: Node | Pod): number {
  const times = [metadata.creationTimestamp, findCondition(status?.conditions, "Ready")?.lastTransitionTime];
  return Math.max(0, ...times.flatMap((time) => (time ? [parseTimestamp(time)] : [])));
}
