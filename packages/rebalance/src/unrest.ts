import { controllerOf, isConditionTrue, isPodActive, type Pod } from "@kintsugi/api";
import { changedAtMs } from "./changed-at.ts";
import { saysPaused } from "@kintsugi/rules";
import type { RebalanceOptions, RebalanceWorld } from "./world.ts";

/**
 * The reason why pods of the cluster may not move now, and the time after which the reason may have
 * ended.
 */
export interface Unrest {
  readonly because: string;
  readonly retryAfterMs?: number;
}

const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure"] as const;

/**
 * Finds the changes that the cluster is still processing. A move briefly makes a pod unavailable,
 * and is planned with nodes that must not change.
 */
export function findUnrest(world: RebalanceWorld, { settleMs }: RebalanceOptions, nowMs: number): Unrest | undefined {
  const stranded = strandedPods(world);
  for (const node of world.nodes) {
    const name = node.metadata.name ?? "";
    if (saysPaused(node)) return { because: `evictions from node ${name} are paused` };
    const pressure = pressures.find((type) => isConditionTrue(node.status?.conditions, type));
    if (pressure !== undefined) return { because: `node ${name} has ${pressure}` };
    const left = stranded.get(name) ?? 0;
    if (!isConditionTrue(node.status?.conditions, "Ready") && left > 0)
      return { because: `node ${name} is not Ready, and ${left} of its pods have not been replaced` };
    const retryAfterMs = Math.min(settleMs, changedAtMs(node) + settleMs - nowMs);
    if (retryAfterMs > 0) return { because: `node ${name} changed recently`, retryAfterMs };
  }
  return undefined;
}

/**
 * The number of pods by node that their controllers should have created on other nodes, and have
 * not created.
 */
function strandedPods({ nodes, pods }: RebalanceWorld): ReadonlyMap<string, number> {
  const unready = new Set(
    nodes
      .filter((node) => !isConditionTrue(node.status?.conditions, "Ready"))
      .map(({ metadata }) => metadata.name ?? ""),
  );
  const counts = new Map<string, number>();
  for (const pod of pods) {
    const node = pod.spec?.nodeName ?? "";
    if (unready.has(node) && isReplaceable(pod)) counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return counts;
}

function isReplaceable(pod: Pod): boolean {
  const kind = controllerOf(pod)?.kind;
  return isPodActive(pod) && kind !== undefined && kind !== "DaemonSet" && kind !== "Node";
}
