import { SeededRandom } from "@kintsugi/clock/simulated";
import { kindOf, type Scenario, type ScenarioWorkload } from "@kintsugi/simulation";

const hasRebalance = 0.3;
const hasChoice = 0.3;
const isForMoves = 0.7;
/** Far from all seeds in use, and from the other seeds of a run. */
const rebalanceSeedOffset = 0x48000000;

/**
 * Returns the run with a controller-manager that rebalances, if the random source or the user
 * decides so. Only the timers of the profile "fast" are short enough for moves within a run.
 * @param wanted the user's choice; otherwise it is drawn.
 */
export function withRebalance(drawn: Scenario, wanted?: boolean): Scenario {
  const random = new SeededRandom(drawn.seed + rebalanceSeedOffset);
  const isDrawn = random.float() < hasRebalance && drawn.profile === "fast" && drawn.nodes.length > 1;
  if (!(wanted ?? isDrawn)) return drawn;
  const workloads = drawn.workloads.map((workload): ScenarioWorkload => {
    const [roll, choice] = [random.float(), random.float() < isForMoves];
    return roll < hasChoice && kindOf(workload).ends !== true ? { ...workload, rebalance: choice } : workload;
  });
  return { ...drawn, workloads, world: { ...drawn.world, rebalance: true } };
}
