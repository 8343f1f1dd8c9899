import { Census, differences, type EndState, isWish, type Scenario } from "@kintsugi/simulation";
import { runScenario, type ScenarioResult } from "./run-scenario.ts";

export interface Comparison {
  readonly life: ScenarioResult;
  readonly reference: ScenarioResult;
  /**
   * The differences between the life's end and the reference's; empty also where one of them has
   * failed by itself.
   */
  readonly differences: readonly string[];
}

/**
 * Lives a scenario under its faults and without any. Both leave out the users' actions: these hit
 * the objects that they find.
 */
export async function compareScenario(scenario: Scenario): Promise<Comparison> {
  const faults = scenario.faults.filter(({ fault, stays }) => !isWish(fault) && stays === undefined);
  const world = { ...scenario.world, operationsPerSecond: 0 };
  const reference = await live({ ...scenario, world, mode: "liveness", faults: [] });
  const life = await live({ ...scenario, world, mode: "liveness", faults });
  const found = reference.end && life.end ? differences(reference.end, life.end) : [];
  return { life: life.result, reference: reference.result, differences: found };
}

async function live(scenario: Scenario): Promise<{ result: ScenarioResult; end: EndState | undefined }> {
  let end: EndState | undefined;
  const result = await runScenario(scenario, {
    observe: ({ store }) => {
      const census = new Census({ store });
      return { begin: () => {}, fault: () => {}, end: () => (end = census.take()) };
    },
  });
  return { result, end: result.failure === undefined ? end : undefined };
}
