import { type DrawOptions, drawScenario } from "./draw-scenario.ts";
import { type RunDeps, runScenario, type ScenarioResult } from "../run/run-scenario.ts";

export interface SimulationOptions extends DrawOptions {
  seed: number;
}

/** One run of a cluster under faults, which follow from the seed. */
export function simulateSeed({ seed, ...options }: SimulationOptions, deps: RunDeps = {}): Promise<ScenarioResult> {
  return runScenario(drawScenario(seed, options), deps);
}
