import { Census, differences, type EndState, isDesiredChange, type Scenario } from "@kintsugi/simulation";
import { runScenario, type ScenarioResult } from "./run-scenario.ts";

export interface Comparison {
  readonly run: ScenarioResult;
  readonly reference: ScenarioResult;
  /**
   * The differences between the end of the run and the end of the reference run; also empty if one
   * of the two runs has failed by itself.
   */
  readonly differences: readonly string[];
}

/**
 * Runs a scenario with its faults and without faults. Both runs omit the users' actions, because
 * the effect of an action depends on the objects that exist at its time.
 */
export async function compareScenario(scenario: Scenario): Promise<Comparison> {
  const faults = scenario.faults.filter(({ fault, stays }) => !isDesiredChange(fault) && stays === undefined);
  const world = { ...scenario.world, operationsPerSecond: 0 };
  const reference = await simulate({ ...scenario, world, mode: "liveness", faults: [] });
  const run = await simulate({ ...scenario, world, mode: "liveness", faults });
  const found = reference.end && run.end ? differences(reference.end, run.end) : [];
  return { run: run.result, reference: reference.result, differences: found };
}

async function simulate(scenario: Scenario): Promise<{ result: ScenarioResult; end: EndState | undefined }> {
  let end: EndState | undefined;
  const result = await runScenario(scenario, {
    observe: ({ store }) => {
      const census = new Census({ store });
      return { begin: () => {}, fault: () => {}, end: () => (end = census.take()) };
    },
  });
  return { result, end: result.failure === undefined ? end : undefined };
}
