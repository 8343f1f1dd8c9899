import { expect, test } from "vitest";
import type { StoryRecording } from "../recording/story-recording.ts";
import { judgeGoal, judgePrediction } from "./judge-lesson.ts";
import type { Goal, Lesson } from "./lesson.ts";
import { lessons } from "./lessons.ts";

/** A life of 600 s in which web lacks a pod for so many seconds, and has none for some of them. */
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
    pods: [{ workload: "web", samples: [sample(0, 2), sample(60, 0), sample(60 + down, 1), sample(60 + degraded, 2)] }],
  };
};
const seconds = { is: "seconds", of: "degraded", workload: "web" } as const;

test("a guess in seconds is right near the truth, which the life itself has", () => {
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

test("a goal is met by its degraded time, within its changes, in the life of its lesson", () => {
  const [lesson] = lessons as [Lesson];
  const goal: Goal = { ...(lesson.goal as Goal), degradedMsMax: 60_000, changesMax: 1 };
  const judge = (degraded: number, settings: string[], scenario = lesson.request.scenario) =>
    judgeGoal(goal, { lesson, request: { ...lesson.request, scenario, settings }, recording: recordingOf(degraded) });
  expect(judge(60, ["a=1"])).toEqual({ isMet: true, degradedMs: 60_000, changes: 1 });
  expect(judge(61, ["a=1"]).isMet).toBe(false);
  expect(judge(10, ["a=1", "b=2"])).toMatchObject({ isMet: false, changes: 2 });
  expect(judge(0, [], "calm").isMet).toBe(false);
  const other = { ...recordingOf(0), pods: [] };
  expect(judgeGoal(goal, { lesson, request: lesson.request, recording: other }).isMet).toBe(false);
});

test("lessons have names of their own, a right choice among their options, and hints for their goals", () => {
  expect(new Set(lessons.map(({ id }) => id)).size).toBe(lessons.length);
  const choices = lessons.flatMap(({ prediction }) => (prediction.is === "choice" ? [prediction] : []));
  expect(choices.every(({ options, right }) => options[right] !== undefined)).toBe(true);
  expect(lessons.every(({ goal }) => goal === undefined || goal.hints.length > 1)).toBe(true);
});
