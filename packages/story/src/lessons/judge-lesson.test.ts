import { expect, test } from "vitest";
import type { PlayRequest } from "../recording/play-messages.ts";
import type { StoryRecording } from "../recording/story-recording.ts";
import { judgeGoal, judgePrediction } from "./judge-lesson.ts";
import type { Goal } from "./lesson.ts";
import { readPrediction } from "./lesson-text.ts";
import { lessons } from "./lessons.ts";

/**
 * A run of 600 s in which web lacks a pod for this many seconds, and has no pod for some of them.
 */
const recordingOf = (degraded: number, down = 0): StoryRecording => {
  const sample = (seconds: number, available: number) => ({ atMs: seconds * 1000, wanted: 2, ready: 2, available });
  return {
    title: "",
    description: "",
    clusterName: "",
    profile: "default",
    fromMs: 0,
    toMs: 600_000,
    steps: [],
    changes: [],
    hasObjects: true,
    captions: [],
    pods: [
      {
        workload: "web",
        counts: { created: 2, evictions: 2, restarts: 0 },
        samples: [sample(0, 2), sample(60, 0), sample(60 + down, 1), sample(60 + degraded, 2)],
      },
    ],
  };
};
const seconds = { is: "seconds", of: "degraded", workload: "web" } as const;

test("a guess in seconds is right near the run's actual value", () => {
  expect(judgePrediction(seconds, 320, recordingOf(339))).toEqual({ isRight: true, truth: 339 });
  expect(judgePrediction(seconds, 60, recordingOf(339))).toEqual({ isRight: false, truth: 339 });
  expect(judgePrediction(seconds, 4, recordingOf(0))).toEqual({ isRight: true, truth: 0 });
  expect(judgePrediction({ ...seconds, of: "downtime" }, 20, recordingOf(339, 20))).toEqual({
    isRight: true,
    truth: 20,
  });
});

test("a choice is right or not", () => {
  const choice = { is: "choice", options: ["a", "b"], right: 1 } as const;
  expect(judgePrediction(choice, 1, recordingOf(0))).toEqual({ isRight: true, truth: 1 });
  expect(judgePrediction(choice, 0, recordingOf(0))).toEqual({ isRight: false, truth: 1 });
});

const run = { scenario: "node-dead", faults: [], settings: ["profile=kubernetes"] };
const goal: Goal = {
  text: "",
  checks: [{ is: "degraded", workload: "web", msMax: 60_000 }],
  changesMax: 1,
  knobs: [
    { setting: "a", label: "", values: ["1"], asItIs: "0" },
    { setting: "b", label: "", values: ["2"], asItIs: "0" },
  ],
  hints: [],
  solution: [],
};
const judge = (
  degraded: number,
  more: readonly string[],
  { failure, ...other }: Partial<PlayRequest> & { failure?: string } = {},
) =>
  judgeGoal(goal, {
    before: run,
    after: { ...run, settings: [...run.settings, ...more], ...other },
    recording: recordingOf(degraded),
    failure,
  });

test("a goal is met by its degraded time, within its changes, in its lesson's run", () => {
  expect(judge(60, ["a=1"])).toMatchObject({ isMet: true, checks: [{ found: 60_000 }], changes: 1 });
  expect(judge(61, ["a=1"]).isMet).toBe(false);
  expect(judge(10, ["a=1", "b=2"])).toMatchObject({ isMet: false, changes: 2 });
});

test("a run counts only with the lesson's faults, by the offered means, and with its promises kept", () => {
  expect(judge(0, [], { scenario: "calm" })).toMatchObject({
    isMet: false,
    because: "it is the run of another scenario",
  });
  expect(judge(0, ["faults.1.at=9m"]).because).toContain("faults.1.at");
  expect(judge(0, [], { settings: [] }).because).toContain("profile");
  expect(judge(0, [], { failure: "bindings-hold: twice" }).because).toContain("bindings-hold: twice");
  const fault = { atMs: 1, fault: "kill-node", node: "node-1" };
  const withFault = { ...run, faults: [fault] };
  expect(judgeGoal(goal, { before: withFault, after: run, recording: recordingOf(0) }).because).toContain("missing");
});

test("available pods and counts are checked at their worst", () => {
  const recording = recordingOf(30, 10);
  const found = (checks: Goal["checks"]) =>
    judgeGoal({ ...goal, checks }, { before: run, after: run, recording }).checks.map((each) => each.isMet);
  expect(found([{ is: "available", workload: "web", atLeast: 1 }])).toEqual([false]);
  expect(found([{ is: "available", workload: "web", atLeast: 0 }])).toEqual([true]);
  expect(found([{ is: "created", workload: "web", max: 1 }])).toEqual([false]);
  expect(found([{ is: "created", workload: "web", max: 2 }])).toEqual([true]);
  expect(found([{ is: "available", workload: "db", atLeast: 1 }])).toEqual([false]);
});

test("a count must be exact, and a mark near the moment", () => {
  const count = { is: "count", of: "created", workload: "web" } as const;
  expect(judgePrediction(count, 2, recordingOf(0))).toEqual({ isRight: true, truth: 2 });
  expect(judgePrediction(count, 1, recordingOf(0)).isRight).toBe(false);
  const mark = { is: "mark", of: "whole again", workload: "web" } as const;
  expect(judgePrediction(mark, 380, recordingOf(339))).toEqual({ isRight: true, truth: 399 });
  expect(judgePrediction(mark, 360, recordingOf(339)).isRight).toBe(false);
});

test("an answer is parsed in the usual notations", () => {
  const [seconds, choice] = [lessons[0], lessons[1]].map((each) => each?.prediction);
  if (seconds === undefined || choice === undefined) throw new Error("there are no lessons");
  expect(["340", "5m40s", "5 min 40 s", "5:40"].map((text) => readPrediction(seconds, text))).toEqual([
    340, 340, 340, 340,
  ]);
  expect(["soon", "", "-1", "1e9"].map((text) => readPrediction(seconds, text))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(["2", "One of them", "4", "0"].map((text) => readPrediction(choice, text))).toEqual([
    1,
    1,
    undefined,
    undefined,
  ]);
});

test("lessons have unique names, a right choice among their options, and hints for their goals", () => {
  expect(lessons.length).toBeGreaterThanOrEqual(20);
  expect(new Set(lessons.map(({ id }) => id)).size).toBe(lessons.length);
  const choices = lessons.flatMap(({ prediction }) => (prediction.is === "choice" ? [prediction] : []));
  expect(choices.every(({ options, right }) => options[right] !== undefined)).toBe(true);
  for (const { goal: own } of lessons) {
    if (own === undefined) continue;
    expect(own.hints.length).toBeGreaterThan(1);
    expect(own.solution.length).toBeLessThanOrEqual(own.changesMax);
    for (const each of own.solution) {
      const [setting = "", value = ""] = each.split(/=(.*)/s);
      expect(own.knobs.find((knob) => knob.setting === setting)?.values).toContain(value);
    }
  }
});
