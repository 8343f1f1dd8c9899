import { SeededRandom } from "@kintsugi/clock/testing";
import { quietMachineCpuMillicores } from "@kintsugi/kubelet/testing";
import type { Scenario, ScenarioWorkload } from "@kintsugi/simulation";

// Nodes that are short of room, so that what one of them has lost finds none until somebody goes.
// Three nodes of 4 cores, two workloads of 4 replicas of which one is scaled to 8: (1 + 4) + (1 +
// 8) = 14 pods may be wanted, 5 on a node, so each asks for 800m.

const littleRoomShare = 0.3;
const importantShare = 0.5;
/** Of what could be wanted, where nobody asks whether all of it runs in the end. */
const fittingShare = 0.75;
/**
 * Far from every seed that somebody tries, and from the other dice of a life: this changes nothing
 * else of what a seed draws.
 */
const whetherDice = 0x78000000;
const whoDice = 0x7c000000;

/** @param wanted what somebody has asked for; otherwise it is drawn. */
export function hasLittleRoom(drawn: Scenario, wanted?: boolean): boolean {
  // On one node there is nothing to choose: what it loses, all lose.
  if (remainingNodes(drawn) < 2) return false;
  return wanted ?? new SeededRandom(drawn.seed + whetherDice).float() < littleRoomShare;
}

/**
 * The same life on nodes that are nearly full, with workloads of which some are more important than
 * others. Where all of it has to run in the end, the nodes that are not lost have room for it: for
 * the most that each workload is scaled to, and for one pod more of each, which a rollout may need.
 * All pods ask for the same, so that no way to place them wastes any.
 */
export function withLittleRoom(drawn: Scenario): Scenario {
  const share = drawn.mode === "liveness" ? 1 : fittingShare;
  const podsOfNode = Math.ceil((share * podsMax(drawn)) / remainingNodes(drawn));
  const cpu = `${Math.floor(quietMachineCpuMillicores / podsOfNode)}m`;
  const random = new SeededRandom(drawn.seed + whoDice);
  const count = drawn.workloads.length;
  const first = random.integer(count);
  const workloads = drawn.workloads.map(({ important: _usual, ...workload }, index): ScenarioWorkload => {
    const coin = random.float() < importantShare;
    // Where there are two of them, one is and one is not.
    const important = index === first || (coin && index !== (first + 1) % count);
    return { ...workload, cpu, ...(important ? { important } : {}) };
  });
  return { ...drawn, workloads };
}

function remainingNodes({ nodes, faults }: Scenario): number {
  return nodes.length - faults.filter(({ stays }) => stays).length;
}

/** The most pods that are wanted at a time, by the plan. */
function podsMax({ workloads, faults }: Scenario): number {
  const scaled = (name: string) =>
    faults
      .filter(({ fault, target }) => fault === "scale" && target === name)
      .map(({ with: settings }) => Number(settings?.["replicas"] ?? 0));
  return workloads.reduce((sum, { name, replicas }) => sum + 1 + Math.max(replicas, ...scaled(name)), 0);
}
