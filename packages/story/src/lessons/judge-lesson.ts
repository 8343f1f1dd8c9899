import { shortagesOf } from "../pod-counts.ts";
import type { PlayRequest } from "../recording/play-messages.ts";
import type { PodHistory, StoryRecording } from "../recording/story-recording.ts";
import type { Goal, GoalCheck, Prediction } from "./lesson.ts";

/** A prediction together with the truth. */
export interface PredictionVerdict {
  /** The prediction was right, or close enough. */
  readonly isRight: boolean;
  /**
   * The truth in the unit of the prediction: the number of the right choice, seconds, or a count.
   */
  readonly truth: number;
}

/** A guess that is off by at most this part of the truth, or by this many seconds, is right. */
const [nearPart, nearSeconds] = [0.1, 5];
/**
 * A mark is drawn by hand, so it counts as close if its error is at most this part of the whole
 * run.
 */
const nearMarkPart = 0.05;

/**
 * Compares a prediction with the run that was recorded.
 * @param recording undefined for a rehearsal, whose predictions are choices
 */
export function judgePrediction(
  prediction: Prediction,
  guess: number,
  recording: StoryRecording | undefined,
): PredictionVerdict {
  if (prediction.is === "choice") return { isRight: guess === prediction.right, truth: prediction.right };
  const truth = recording === undefined ? 0 : truthOf(prediction, recording);
  const near = (seconds: number) => Math.abs(guess - truth) <= seconds;
  switch (prediction.is) {
    case "count":
      return { isRight: guess === truth, truth };
    case "seconds":
      return { isRight: near(Math.max(nearSeconds, truth * nearPart)), truth };
    case "mark": {
      const lengthMs = recording === undefined ? 0 : recording.toMs - recording.fromMs;
      return { isRight: near((lengthMs / 1000) * nearMarkPart), truth };
    }
  }
}

function truthOf(prediction: Exclude<Prediction, { is: "choice" }>, recording: StoryRecording): number {
  const { workload } = prediction;
  switch (prediction.is) {
    case "count":
      return historyOf(recording, workload)?.counts?.[prediction.of] ?? 0;
    case "seconds": {
      const { downMs, degradedMs } = timesOf(recording, workload);
      return Math.round((prediction.of === "downtime" ? downMs : degradedMs) / 1000);
    }
    case "mark":
      return Math.round((momentOf(prediction.of, recording, workload) - recording.fromMs) / 1000);
  }
}

/**
 * The end of the last shortage, or the first moment at which the API counts fewer Ready pods. A
 * moment that does not occur is the run's end.
 */
function momentOf(of: "whole again" | "noticed", recording: StoryRecording, workload: string): number {
  const samples = historyOf(recording, workload)?.samples ?? [];
  const { toMs } = recording;
  if (of === "noticed") return samples.find(({ ready, wanted }) => ready < wanted)?.atMs ?? toMs;
  return shortagesOf(samples, toMs).shortages.at(-1)?.toMs ?? toMs;
}

export interface GoalState {
  readonly isMet: boolean;
  readonly checks: readonly CheckState[];
  readonly changes: number;
  /**
   * The reason why this run does not count, regardless of its checks' results; absent for a run
   * that counts.
   */
  readonly because?: string;
}

export interface CheckState {
  readonly check: GoalCheck;
  readonly isMet: boolean;
  /** The value of the run: milliseconds, pods, or a count. */
  readonly found: number;
}

/** A run that a learner made. */
export interface JudgedRun {
  /** The request of the lesson, with the learner's changes. */
  readonly before: PlayRequest;
  readonly after: PlayRequest;
  readonly recording: StoryRecording;
  /** The invariant that the cluster violated in the run. */
  readonly failure?: string | undefined;
}

/** Checks a goal on the run that the learner made. */
export function judgeGoal(goal: Goal, run: JudgedRun): GoalState {
  const { before, after, recording, failure } = run;
  const checks = goal.checks.map((check) => checkOn(recording, check));
  const changes = changesOf(before, after);
  const because =
    failure === undefined ? notTheTask(goal, run) : `an invariant of the cluster was violated: ${failure}`;
  const isMet = because === undefined && changes <= goal.changesMax && checks.every((each) => each.isMet);
  return { isMet, checks, changes, ...(because === undefined ? {} : { because }) };
}

function checkOn(recording: StoryRecording, check: GoalCheck): CheckState {
  switch (check.is) {
    case "degraded":
    case "downtime": {
      const { downMs, degradedMs } = timesOf(recording, check.workload);
      const found = check.is === "downtime" ? downMs : degradedMs;
      return { check, isMet: found <= check.msMax, found };
    }
    case "available": {
      const samples = historyOf(recording, check.workload)?.samples ?? [];
      const found = samples.length === 0 ? 0 : Math.min(...samples.map(({ available }) => available));
      return { check, isMet: found >= check.atLeast, found };
    }
    default: {
      const found = historyOf(recording, check.workload)?.counts?.[check.is] ?? Infinity;
      return { check, isMet: found <= check.max, found };
    }
  }
}

/**
 * The faults of the lesson are the task, so a run without them, or with other means, does not meet
 * the goal.
 */
function notTheTask({ knobs }: Goal, { before, after }: JudgedRun): string | undefined {
  if (before.scenario !== after.scenario) return "it is the run of another scenario";
  const hasFaults = before.faults.every((fault) =>
    after.faults.some((each) => each.fault === fault.fault && each.node === fault.node && each.atMs === fault.atMs),
  );
  if (!hasFaults) return "the faults of the lesson are missing";
  if ((after.commands ?? []).length > 0) return "a goal is reached by its settings, without kubectl";
  const offered = new Set(knobs.map(({ setting }) => setting));
  const foreign = changedSettings(before, after).find((name) => !offered.has(name));
  return foreign === undefined ? undefined : `${foreign} is not among the settings that may be changed`;
}

function changesOf(before: PlayRequest, after: PlayRequest): number {
  return changedSettings(before, after).length + Math.max(0, after.faults.length - before.faults.length);
}

/** The names of settings that differ, including removed settings. */
function changedSettings(before: PlayRequest, after: PlayRequest): string[] {
  const [old, now] = [before, after].map(({ settings }) => new Map(settings.map((each) => splitAt(each))));
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...names].filter((name) => old?.get(name) !== now?.get(name));
}

function splitAt(setting: string): [string, string] {
  const equals = setting.indexOf("=");
  return [setting.slice(0, equals), setting.slice(equals + 1)];
}

function historyOf({ pods = [] }: StoryRecording, workload: string): PodHistory | undefined {
  return pods.find((each) => each.workload === workload);
}

/** Sums up a workload's times; a workload that the recording lacks was degraded all the time. */
function timesOf(recording: StoryRecording, workload: string): { downMs: number; degradedMs: number } {
  const history = historyOf(recording, workload);
  const wholeMs = recording.toMs - recording.fromMs;
  if (history === undefined) return { downMs: wholeMs, degradedMs: wholeMs };
  return shortagesOf(history.samples, recording.toMs);
}
