import { findCondition, formatTimestamp, type Node, type NodeCondition } from "@kintsugi/api";
import type { OptionValues } from "@kintsugi/daemon";
import type { nodeLifecycleOptions } from "./options.ts";

/** The conditions that a kubelet maintains, and that become Unknown when it is silent. */
const kubeletConditions = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"] as const;

export type ReadyStatus = "True" | "False" | "Unknown";

/**
 * Returns the status of the node's condition Ready; undefined if the node does not have the
 * condition.
 */
export function readyStatus(node: Node): ReadyStatus | undefined {
  return findCondition(node.status?.conditions, "Ready")?.status;
}

export type GraceOptions = Pick<
  OptionValues<typeof nodeLifecycleOptions>,
  "nodeMonitorGracePeriodMs" | "nodeStartupGracePeriodMs"
>;

/** Returns the time for which this node may be silent. */
export function graceMs(node: Node, options: GraceOptions): number {
  return readyStatus(node) === undefined ? options.nodeStartupGracePeriodMs : options.nodeMonitorGracePeriodMs;
}

/**
 * Returns the conditions of a node whose kubelet counts as silent; undefined if the node has them
 * already.
 */
export function planUnknownConditions(node: Node, nowMs: number): NodeCondition[] | undefined {
  const now = formatTimestamp(nowMs);
  const conditions = [...(node.status?.conditions ?? [])];
  let changed = false;
  for (const type of kubeletConditions) {
    const index = conditions.findIndex((condition) => condition.type === type);
    const condition = conditions[index];
    if (!condition) {
      changed = true;
      conditions.push({
        type,
        status: "Unknown",
        reason: "NodeStatusNeverUpdated",
        message: "Kubelet never posted node status.",
        lastHeartbeatTime: node.metadata.creationTimestamp ?? now,
        lastTransitionTime: now,
      });
    } else if (condition.status !== "Unknown") {
      changed = true;
      conditions[index] = {
        ...condition,
        status: "Unknown",
        reason: "NodeStatusUnknown",
        message: "Kubelet stopped posting node status.",
        lastTransitionTime: now,
      };
    }
  }
  return changed ? conditions : undefined;
}
