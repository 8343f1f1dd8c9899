import { createHash } from "node:crypto";
import { findCondition, type Node } from "@kintsugi/api";

/**
 * 64 bits are enough, because two states of one cluster that share a mark would only delay a move.
 */
const hexDigits = 16;

/**
 * A digest of everything about the nodes on which a scheduler's decision depends, so that a failed
 * move is tried again only with changed nodes.
 */
export function markOfNodes(nodes: readonly Node[]): string {
  const states = nodes.map(({ metadata, spec, status }) => [
    metadata.name,
    metadata.uid,
    sorted(metadata.labels),
    sorted(status?.allocatable),
    (spec?.taints ?? []).map(({ key, value, effect }) => `${key}=${value ?? ""}:${effect}`).toSorted(),
    spec?.unschedulable ?? false,
    findCondition(status?.conditions, "Ready")?.status,
  ]);
  const lines = states.map((state) => JSON.stringify(state)).toSorted();
  return createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, hexDigits);
}

function sorted(map: Readonly<Record<string, string>> | undefined): (readonly [string, string])[] {
  return Object.entries(map ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
