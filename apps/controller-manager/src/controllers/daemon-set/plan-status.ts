import type { DaemonSet, DaemonSetStatus } from "@kintsugi/api";
import type { NodeCounts } from "./judge-node.ts";

export function planDaemonStatus(
  { status, metadata }: DaemonSet,
  { desired, current, misscheduled, ready, available, updated }: NodeCounts,
  collisionCount: number,
): DaemonSetStatus {
  return {
    currentNumberScheduled: current,
    numberMisscheduled: misscheduled,
    desiredNumberScheduled: desired,
    numberReady: ready,
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    updatedNumberScheduled: updated,
    numberAvailable: available,
    numberUnavailable: desired - available,
    ...(collisionCount === 0 && status?.collisionCount === undefined ? {} : { collisionCount }),
    ...(status?.conditions === undefined ? {} : { conditions: status.conditions }),
  };
}
