import { parseScenario, type ScenarioFile } from "@kintsugi/simulation";
import { timerFlags } from "../cluster/timer-flags.ts";
import type { ScenarioText } from "./find-scenario.ts";

/** Parses a scenario that may set every timer of the services. @throws InvalidFile */
export function readScenario({ text, source }: ScenarioText): ScenarioFile {
  return parseScenario(text, { source, timerFlags });
}
