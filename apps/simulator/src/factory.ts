export { type Comparison, compareScenario } from "./seeds/compare-scenario.ts";
export { startVirtualCluster, VirtualCluster, type VirtualClusterOptions } from "./cluster/virtual-cluster.ts";
export { Load, type LoadResult } from "./load/load.ts";
export { drawScenario, type DrawOptions } from "./seeds/draw-scenario.ts";
export {
  type FaultCount,
  type RunDeps,
  runScenario,
  type ScenarioFailure,
  type ScenarioResult,
} from "./seeds/run-scenario.ts";
export { workerFlags } from "./seeds/seed-workers.ts";
export { simulateSeed, type SimulationOptions } from "./seeds/simulate-seed.ts";
export { changeScenario } from "./scenarios/change-scenario.ts";
export { findScenario, shippedNames } from "./scenarios/find-scenario.ts";
export { isAsExpected, playScenario } from "./scenarios/play-scenario.ts";
export { keepFailure } from "./seeds/keep-failure.ts";
