import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ScenarioFile } from "@kintsugi/simulation";
import type { RunSubject, PlayRequest, RehearsalSubject, StoryRecording } from "@kintsugi/story";
import { readSource } from "../rehearsal/sources/read-source.ts";
import { recordScenario } from "../scenarios/play-scenario.ts";
import { readRequest } from "../scenarios/read-request.ts";
import { rehearseFor } from "./rehearse-for.ts";

export interface LessonPlaces {
  /** The directory of the scenarios that come with Kintsugi. */
  readonly shippedDirectory: string;
  /** The directory of the example clusters. */
  readonly examplesDirectory: string;
  /** The command of `kintsugi`, before its arguments, for clusters of real containers. */
  readonly kintsugiCommand: readonly string[];
}

export interface PlayedRun {
  readonly recording: StoryRecording;
  readonly failure: string | undefined;
}

/**
 * Simulates a lesson's scenario with the learner's changes. @throws Error for an invalid change.
 */
export async function playRun(
  subject: RunSubject,
  settings: readonly string[],
  places: LessonPlaces,
): Promise<PlayedRun> {
  const { report, story } = await recordScenario(scenarioWith(subject, settings, places));
  return { recording: story(), failure: report.failure };
}

/** The scenario of a lesson with the learner's changes. @throws Error for an invalid change. */
export function scenarioWith(
  { request }: RunSubject,
  settings: readonly string[],
  { shippedDirectory }: Pick<LessonPlaces, "shippedDirectory">,
): ScenarioFile {
  const { scenario } = request;
  const text = readFileSync(join(shippedDirectory, `${scenario}.yaml`), "utf8");
  return readRequest(withSettings(request, settings), new Map([[scenario, text]]));
}

/** The request with these settings, which replace settings of the same names. */
export function withSettings(request: PlayRequest, settings: readonly string[]): PlayRequest {
  const nameOf = (setting: string) => setting.split("=", 1)[0];
  const names = new Set(settings.map(nameOf));
  return {
    ...request,
    settings: [...request.settings.filter((each) => !names.has(nameOf(each))), ...settings],
  };
}

interface OwnCluster {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/** Rehearses a lesson's example, or the learner's own cluster. @returns the lines of the report */
export async function rehearseLesson(
  subject: RehearsalSubject,
  { examplesDirectory }: LessonPlaces,
  { own, say }: { own: OwnCluster | undefined; say: (line: string) => void },
): Promise<string[]> {
  const from = own === undefined ? join(examplesDirectory, subject.example, "cluster.yaml") : undefined;
  const source = await readSource({ from, nodes: undefined, kubeconfig: own?.kubeconfig, context: own?.context }, say);
  // An example has no pods yet: its workloads create them before the question is answered.
  const isWhole = own === undefined || source.isWhole;
  const name = own === undefined ? `the example ${subject.example}` : source.name;
  return rehearseFor(subject, { ...source, name, isWhole });
}
