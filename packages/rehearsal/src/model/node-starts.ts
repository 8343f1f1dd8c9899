import { findCondition, type Node, nodes, parseTimestamp } from "@kintsugi/api";
import { objectsOf, type ClusterPicture } from "../picture/picture.ts";

/** A machine whose Node is Ready earlier has not booted. */
const bootMinMs = 5_000;
/** A later Ready belongs to a node that was lost in between. */
const bootMaxMs = 30 * 60_000;

/** The times from the creation of a Node to its Ready condition, of nodes that were never lost. */
export function shownNodeStarts(picture: Pick<ClusterPicture, "objects">): number[] {
  return objectsOf<Node>(picture, nodes).flatMap(({ metadata, status }) => {
    const ready = findCondition(status?.conditions, "Ready");
    const { creationTimestamp } = metadata;
    const readyAt = ready?.status === "True" ? ready.lastTransitionTime : undefined;
    if (typeof creationTimestamp !== "string" || typeof readyAt !== "string") return [];
    const tookMs = parseTimestamp(readyAt) - parseTimestamp(creationTimestamp);
    return tookMs >= bootMinMs && tookMs <= bootMaxMs ? [tookMs] : [];
  });
}

/** The median of these times, or the higher of two middle times; undefined for an empty list. */
export function medianMs(times: readonly number[]): number | undefined {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
}
