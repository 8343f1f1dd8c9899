import { timelineEntriesOf } from "@kintsugi/api-server/factory";
import {
  checkExpectations,
  makeReport,
  Recording,
  type ScenarioFile,
  type ScenarioReport,
  storyOfRun,
} from "@kintsugi/simulation";
import type { AddedCommand, StoryRecording } from "@kintsugi/story";
import { timerFlags } from "../cluster/timer-flags.ts";
import { completeTimers } from "../cluster/timers.ts";
import { runScenario, type RunDeps } from "../run/run-scenario.ts";
import { CommandPlan } from "./command-plan.ts";

/**
 * Plays a scenario and reports its events: the same scenario with the same seed always has the same
 * report.
 */
export async function playScenario(file: ScenarioFile, deps: Pick<RunDeps, "log"> = {}): Promise<ScenarioReport> {
  return (await play(file, deps, { objects: false })).report;
}

/** Plays a scenario with the commands of a user, and records its objects for a player, too. */
export async function recordScenario(
  file: ScenarioFile,
  commands: readonly AddedCommand[] = [],
  deps: Pick<RunDeps, "onProgress"> = {},
): Promise<RecordedScenario> {
  if (commands.length === 0) return play(file, deps, { objects: true });
  const user = new CommandPlan(commands);
  const recorded = await play(file, { ...deps, begin: (cluster) => user.begin(cluster) }, { objects: true });
  user.end();
  return recorded;
}

export interface RecordedScenario {
  readonly report: ScenarioReport;
  readonly story: () => StoryRecording;
}

async function play(
  file: ScenarioFile,
  deps: Pick<RunDeps, "log" | "begin" | "onProgress">,
  { objects }: { objects: boolean },
): Promise<RecordedScenario> {
  const { scenario } = file;
  let recording: Recording | undefined;
  const workloads = scenario.workloads.map(({ name }) => name);
  const result = await runScenario(scenario, {
    ...deps,
    observe: (cluster) =>
      (recording = new Recording({ cluster, entriesOf: timelineEntriesOf }, { workloads, objects })),
  });
  if (!recording) throw new Error(`no record of ${scenario.name} was made`);
  const recorded = recording;
  const timers = completeTimers(scenario.profile, scenario.timers);
  const { failure, digest } = result;
  const report = makeReport(file, recording, {
    failure: failure && `${failure.check}: ${failure.message}`,
    digest,
    timers,
    timerFlags,
  });
  const checked = { ...report, expectations: checkExpectations(file.expect, report) };
  return { report: checked, story: () => storyOfRun(checked, recorded, { profile: scenario.profile, timers }) };
}

/** Reports whether all expectations are met, and no invariant was violated. */
export function isAsExpected({ failure, expectations }: ScenarioReport): boolean {
  return failure === undefined && expectations.every(({ isMet }) => isMet);
}
