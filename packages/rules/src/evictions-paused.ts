import { findCondition, type Node, type NodeCondition, withCondition, withoutCondition } from "@kintsugi/api";
import type { ZoneOptions, ZonePlan } from "./zones.ts";

/** The condition of a node whose pods are not evicted, although it is down. */
export const evictionsPausedCondition = "kintsugi.dev/EvictionsPaused";

export interface Pause {
  reason: "AllZonesDown" | "ZoneUnhealthy";
  message: string;
}

/** Explains why evictions of this zone's nodes may not begin; undefined if they may. */
export function pauseOf(zone: ZonePlan | undefined, allDown: boolean, options: ZoneOptions): Pause | undefined {
  if (allDown) {
    return {
      reason: "AllZonesDown",
      message: "No node is Ready: the control plane may be cut off from all of them, so no pod is evicted.",
    };
  }
  if (!zone || zone.evictionRate > 0) return undefined;
  const total = zone.ready + zone.notReady;
  const percent = Math.round(options.unhealthyZoneThreshold * 100);
  return {
    reason: "ZoneUnhealthy",
    message:
      `${zone.notReady} of ${total} nodes in the zone are not Ready (unhealthy from ${percent} %), and zones of up to ` +
      `${options.largeClusterSizeThreshold} nodes stop evicting then.`,
  };
}

/** The conditions with the pause stated, or without it; the same list when nothing changes. */
export function withEvictionsPaused(node: Node, pause: Pause | undefined, nowMs: number): NodeCondition[] {
  const conditions = node.status?.conditions;
  if (!pause) return withoutCondition(conditions, evictionsPausedCondition);
  return withCondition<NodeCondition>(conditions, { type: evictionsPausedCondition, status: "True", ...pause }, nowMs);
}

export function saysPaused(node: Node): boolean {
  return findCondition(node.status?.conditions, evictionsPausedCondition)?.status === "True";
}
