import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readDocuments } from "@kintsugi/rehearsal";
import { rehearseFor } from "@kintsugi/simulator/factory";
import { judgePrediction, type Lesson, lessons, type RunSubject, type RehearsalSubject } from "@kintsugi/story";
import { expect, test } from "vitest";
import { repository } from "../support/lab-cluster.ts";
import { checkProof, type SimulatedLesson, simulateLesson } from "../support/simulated-lesson.ts";

const simulated = lessons.flatMap((lesson): { lesson: Lesson; subject: RunSubject }[] =>
  lesson.subject.is === "run" ? [{ lesson, subject: lesson.subject }] : [],
);
const rehearsed = lessons.flatMap(({ id, subject }): { id: string; subject: RehearsalSubject }[] =>
  subject.is === "rehearsal" ? [{ id, subject }] : [],
);

/** Expected numbers of debriefs. */
const truths: Readonly<Record<string, number>> = {
  "node-dead": 349,
  "node-back-rebalanced": 4,
  "flapping-node": 1,
  "two-nodes-die": 529,
  "zone-lost": 359,
  "all-nodes-lost": 0,
  "no-room-left": 660,
  "out-of-memory": 7,
  escalation: 1,
  "api-server-outage": 0,
  "leader-lost": 399,
  "leader-paused": 2,
};

const withGoal = simulated.filter(({ lesson }) => lesson.goal !== undefined);
const withTruth = simulated.filter(({ lesson }) => truths[lesson.id] !== undefined);
const runs = new Map<string, Promise<SimulatedLesson>>();

/** Returns the unchanged run of a lesson. */
function runOf({ lesson, subject }: { lesson: Lesson; subject: RunSubject }): Promise<SimulatedLesson> {
  const run = runs.get(lesson.id) ?? simulateLesson(lesson, subject);
  runs.set(lesson.id, run);
  return run;
}

test.each(simulated)(
  "the lesson $lesson.id proves its debrief and rejects a wrong guess",
  async (each) => {
    const run = await runOf(each);
    const { prediction } = each.lesson;
    expect(run.report.failure).toBeUndefined();
    expect(checkProof(each.subject, run.report).filter(({ isMet }) => !isMet)).toEqual([]);
    const far = prediction.is === "choice" ? prediction.right + 1 : 100_000;
    expect(judgePrediction(prediction, far, run.recording).isRight).toBe(false);
  },
  240_000,
);

test.each(withTruth)(
  "the lesson $lesson.id has the number of its debrief",
  async (each) => {
    const { recording } = await runOf(each);
    expect(judgePrediction(each.lesson.prediction, truths[each.lesson.id] ?? -1, recording).isRight).toBe(true);
  },
  240_000,
);

test.each(withGoal)(
  "the goal of $lesson.id is missed without a change and reached by its solution",
  async (each) => {
    const run = await runOf(each);
    expect(run.asItIs().isMet).toBe(false);
    expect(await run.solved()).toMatchObject({ isMet: true });
  },
  240_000,
);

test.each(rehearsed)(
  "the rehearsal $id confirms its debrief",
  async ({ subject }) => {
    const text = readFileSync(join(repository, "demo/rehearsals", subject.example, "cluster.yaml"), "utf8");
    const source = { ...readDocuments(text, subject.example), name: subject.example, isWhole: true };
    const lines = (await rehearseFor(subject, source)).join("\n");
    for (const words of subject.proof) expect(lines).toContain(words);
  },
  120_000,
);
