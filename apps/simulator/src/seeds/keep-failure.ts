import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderHtml, type Scenario, shrinkScenario, writeScenario } from "@kintsugi/simulation";
import { timerFlags } from "../cluster/timer-flags.ts";
import { playScenario } from "../scenarios/play-scenario.ts";
import { runScenario, type ScenarioFailure, type ScenarioResult } from "../run/run-scenario.ts";

export interface KeepOptions {
  /** The directory of the files. */
  directory: string;
  /** Maximum number of runs for shrinking. */
  runsMax: number;
}

export interface KeptFailure {
  /** The smallest scenario that still fails the same check, to be read, run and stored. */
  readonly scenarioFile: string;
  /** The page with the run's timeline. */
  readonly pageFile: string;
  readonly scenario: Scenario;
  /** The number of runs that the shrinking took. */
  readonly runs: number;
}

/** Runs a scenario; a test may plant its own check here. */
type Live = (scenario: Scenario) => Promise<Pick<ScenarioResult, "failure">>;

/** Shrinks a failure, and writes it as a scenario and as a page. */
export async function keepFailure(
  { scenario, failure }: { scenario: Scenario; failure: ScenarioFailure },
  options: KeepOptions,
  live: Live = runScenario,
): Promise<KeptFailure> {
  const { directory, runsMax } = options;
  const stillFails = async (candidate: Scenario) => isSameFailure((await live(candidate)).failure, failure);
  mkdirSync(directory, { recursive: true });
  const scenarioFile = join(directory, `${scenario.name}.yaml`);
  // The failure is stored first, in case the shrinking is not awaited.
  writeFileSync(scenarioFile, fileOf(scenario, failure, "as it was drawn"));
  const shrunk = await shrinkScenario(scenario, { stillFails }, { runsMax });
  const lost = scenario.faults.length - shrunk.scenario.faults.length;
  writeFileSync(scenarioFile, fileOf(shrunk.scenario, failure, `${lost} of ${scenario.faults.length} faults left out`));
  const pageFile = join(directory, `${scenario.name}.html`);
  const report = await playScenario({ description: failure.check, scenario: shrunk.scenario, expect: [] });
  writeFileSync(pageFile, renderHtml(report));
  return { scenarioFile, pageFile, ...shrunk };
}

/**
 * Reports whether two failures violate the same check with the same sentence, apart from names and
 * numbers. The check cluster-converges has many sentences, and a smaller scenario may violate the
 * same check for another reason.
 */
function isSameFailure(one: ScenarioFailure | undefined, other: ScenarioFailure): boolean {
  if (one?.check !== other.check) return false;
  const sentences = sentencesOf(one.message);
  return sentencesOf(other.message).some((sentence) => sentences.includes(sentence));
}

function sentencesOf(message: string): string[] {
  const [first = ""] = message.split("\n");
  return first.split("; ").map((sentence) => sentence.replaceAll(/\S*[-\d]\S*/g, "#"));
}

/** A run that ended with its process can only be stored as drawn. @returns the file. */
export function keepDrawn(scenario: Scenario, message: string, directory: string): string {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, `${scenario.name}.yaml`);
  writeFileSync(file, fileOf(scenario, { check: "the process", message }, "as it was drawn"));
  return file;
}

function fileOf(
  scenario: Scenario,
  { check, message }: Pick<ScenarioFailure, "check" | "message">,
  how: string,
): string {
  const [sentence = ""] = message.split("\n");
  const comment = `Breaks ${check}: ${sentence.slice(0, 300)}\nFound with seed ${scenario.seed}; ${how}.`;
  return writeScenario({ description: `Breaks ${check}.`, scenario, expect: [] }, { timerFlags, comment });
}
