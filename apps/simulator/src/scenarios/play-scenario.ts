import { timelineEntriesOf } from "@kintsugi/api-server/factory";
import { checkExpectations, makeReport, Recording, type ScenarioFile, type ScenarioReport } from "@kintsugi/simulation";
import { timerFlags } from "../cluster/timer-flags.ts";
import { completeTimers } from "../cluster/timers.ts";
import { runScenario, type RunDeps } from "../run/run-scenario.ts";

/**
 * Plays a scenario and reports its events: the same scenario with the same seed always has the same
 * report.
 */
export async function playScenario(file: ScenarioFile, deps: Pick<RunDeps, "log"> = {}): Promise<ScenarioReport> {
  const { scenario } = file;
  let recording: Recording | undefined;
  const workloads = scenario.workloads.map(({ name }) => name);
  const result = await runScenario(scenario, {
    ...deps,
    observe: (cluster) => (recording = new Recording({ cluster, entriesOf: timelineEntriesOf }, { workloads })),
  });
  if (!recording) throw new Error(`nothing was recorded of ${scenario.name}`);
  const { failure, digest } = result;
  const report = makeReport(file, recording, {
    failure: failure && `${failure.check}: ${failure.message}`,
    digest,
    timers: completeTimers(scenario.profile, scenario.timers),
    timerFlags,
  });
  return { ...report, expectations: checkExpectations(file.expect, report) };
}

/** Reports whether all expectations are met, and nothing broke. */
export function isAsExpected({ failure, expectations }: ScenarioReport): boolean {
  return failure === undefined && expectations.every(({ isMet }) => isMet);
}
