import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type CheckedExpectation,
  checkExpectations,
  type Expectation,
  type ScenarioReport,
} from "@kintsugi/simulation";
import { readRequest, readScenario, recordScenario } from "@kintsugi/simulator/factory";
import {
  type GoalState,
  judgeGoal,
  type Lesson,
  type RunSubject,
  type PlayRequest,
  type StoryRecording,
} from "@kintsugi/story";

const directory = fileURLToPath(new URL("../../apps/simulator/scenarios", import.meta.url));
const texts = new Map(
  readdirSync(directory).map((file) => [file.replace(/\.yaml$/, ""), readFileSync(join(directory, file), "utf8")]),
);

/** The unchanged run of a lesson and its verdicts. */
export interface SimulatedLesson {
  readonly report: ScenarioReport;
  readonly recording: StoryRecording;
  /** Evaluates the unchanged run. */
  asItIs(): GoalState;
  /** Evaluates a run with the solution. */
  solved(): Promise<GoalState>;
}

export async function simulateLesson({ goal }: Lesson, { request }: RunSubject): Promise<SimulatedLesson> {
  const { report, story } = await recordScenario(readRequest(request, texts));
  const recording = story();
  const judge = (after: PlayRequest, run: { recording: StoryRecording; failure: string | undefined }) => {
    if (goal === undefined) throw new Error("the lesson has no goal");
    return judgeGoal(goal, { before: request, after, ...run });
  };
  return {
    report,
    recording,
    asItIs: () => judge(request, { recording, failure: report.failure }),
    async solved() {
      const solution = goal?.solution ?? [];
      const names = new Set(solution.map(nameOf));
      const settings = [...request.settings.filter((each) => !names.has(nameOf(each))), ...solution];
      const after = { ...request, settings };
      const run = await recordScenario(readRequest(after, texts));
      return judge(after, { recording: run.story(), failure: run.report.failure });
    },
  };
}

function nameOf(setting: string): string {
  return setting.split("=", 1)[0] ?? "";
}

/**
 * Checks the proof of a lesson against its run; a proof is written as a scenario's expectations.
 */
export function checkProof({ request, proof }: RunSubject, report: ScenarioReport): CheckedExpectation[] {
  return checkExpectations(readProof({ request, proof }), report);
}

export function readProof({ request, proof }: Pick<RunSubject, "request" | "proof">): readonly Expectation[] {
  const [head = ""] = (texts.get(request.scenario) ?? "").split("\nexpect:");
  const text = [head, "expect:", ...proof.map((each) => `  - ${each}`), ""].join("\n");
  return readScenario({ text, source: `${request.scenario}.yaml` }).expect;
}

export const shippedScenarioNames = [...texts.keys()];
