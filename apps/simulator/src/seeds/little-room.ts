import { SeededRandom } from "@kintsugi/clock/simulated";
import { quietMachineCpuMillicores } from "@kintsugi/kubelet/simulated";
import type { Scenario, ScenarioWorkload } from "@kintsugi/simulation";

// Nodes with little capacity, so that the pods of a lost node are pending until other pods are
// deleted. Three nodes have 4 cores each. Of two workloads of 4 replicas, one is scaled to 8, so at
// most 5 + 9 = 14 pods are wanted. A node holds 5 of them, so each pod requests 800m.

const littleRoomShare = 0.3;
const importantShare = 0.5;
/** The share of all wanted pods that fits, if a run may end before all of them run. */
const fittingShare = 0.75;
/**
 * Far from all seeds in use, and from the other seeds of a run, so that these draws do not change
 * the rest of a seed's run.
 */
const whetherSeedOffset = 0x78000000;
const whoSeedOffset = 0x7c000000;

/** @param wanted the user's choice; otherwise the setting is drawn. */
export function hasLittleRoom(drawn: Scenario, wanted?: boolean): boolean {
  // All workloads would lose their pods with a single remaining node.
  if (remainingNodes(drawn) < 2) return false;
  // The node of a daemon is fixed; if that node is full, the daemon cannot run on another node.
  if (drawn.workloads.some(({ kind }) => kind === "DaemonSet")) return false;
  return wanted ?? new SeededRandom(drawn.seed + whetherSeedOffset).float() < littleRoomShare;
}

/**
 * Returns the run on nodes that are nearly full, with workloads of different priorities. If all
 * workloads have to run in the end, they fit on the nodes that are not lost, even if each has its
 * largest size and one more pod for a rollout. All pods have the same requests, so that no
 * placement wastes capacity.
 */
export function withLittleRoom(drawn: Scenario): Scenario {
  const share = drawn.mode === "liveness" ? 1 : fittingShare;
  const podsOfNode = Math.ceil((share * wantedPodsMax(drawn)) / remainingNodes(drawn));
  const cpu = `${Math.floor(quietMachineCpuMillicores / podsOfNode)}m`;
  const random = new SeededRandom(drawn.seed + whoSeedOffset);
  const count = drawn.workloads.length;
  const first = random.integer(count);
  const workloads = drawn.workloads.map(({ important: _usual, ...workload }, index): ScenarioWorkload => {
    const coin = random.float() < importantShare;
    // One of two workloads is important and the other is not.
    const important = index === first || (coin && index !== (first + 1) % count);
    return { ...workload, cpu, ...(important ? { important } : {}) };
  });
  return { ...drawn, workloads };
}

function remainingNodes({ nodes, faults }: Scenario): number {
  return nodes.length - faults.filter(({ stays }) => stays).length;
}

/** The largest number of pods that the plan wants at a time. */
export function wantedPodsMax({ workloads, faults }: Scenario): number {
  const scaled = (name: string) =>
    faults
      .filter(({ fault, target }) => fault === "scale" && target === name)
      .map(({ with: settings }) => Number(settings?.["replicas"] ?? 0));
  return workloads.reduce(
    (sum, { name, replicas, autoscale }) => sum + 1 + Math.max(replicas, autoscale?.max ?? 0, ...scaled(name)),
    0,
  );
}
