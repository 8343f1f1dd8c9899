import { shortagesOf } from "../pod-counts.ts";
import type { PlayRequest } from "../recording/play-messages.ts";
import type { StoryRecording } from "../recording/story-recording.ts";
import type { Goal, Lesson, Prediction } from "./lesson.ts";

/** A prediction beside the truth. */
export interface PredictionVerdict {
  /** The prediction was right, or near enough. */
  readonly isRight: boolean;
  /** The truth in the unit of the prediction: the number of the right choice, or seconds. */
  readonly truth: number;
}

/** A guess that is off by this part of the truth, or by so many seconds, is right. */
const [nearPart, nearSeconds] = [0.1, 5];

/** Compares a prediction with the life that was recorded. */
export function judgePrediction(prediction: Prediction, guess: number, recording: StoryRecording): PredictionVerdict {
  if (prediction.is === "choice") return { isRight: guess === prediction.right, truth: prediction.right };
  const { downMs, degradedMs } = timesOf(recording, prediction.workload);
  const truth = Math.round((prediction.of === "downtime" ? downMs : degradedMs) / 1000);
  return { isRight: Math.abs(guess - truth) <= Math.max(nearSeconds, truth * nearPart), truth };
}

export interface GoalState {
  readonly isMet: boolean;
  /** The degraded time of the life that was played. */
  readonly degradedMs: number;
  readonly changes: number;
}

/** Checks a goal on the life that the learner made. */
export function judgeGoal(
  goal: Goal,
  { lesson, request, recording }: { lesson: Lesson; request: PlayRequest; recording: StoryRecording },
): GoalState {
  const { degradedMs } = timesOf(recording, goal.workload);
  const changes = changesOf(lesson.request, request);
  // The faults of the lesson are the task: a life without them has not met it.
  const isTheLife = request.scenario === lesson.request.scenario;
  return { isMet: isTheLife && degradedMs <= goal.degradedMsMax && changes <= goal.changesMax, degradedMs, changes };
}

function changesOf(before: PlayRequest, after: PlayRequest): number {
  const settings = after.settings.filter((each) => !before.settings.includes(each)).length;
  return settings + Math.max(0, after.faults.length - before.faults.length);
}

/** Sums up a workload's times; a workload that the recording lacks was degraded all the time. */
function timesOf({ pods = [], fromMs, toMs }: StoryRecording, workload: string) {
  const history = pods.find((each) => each.workload === workload);
  if (history === undefined) return { downMs: toMs - fromMs, degradedMs: toMs - fromMs };
  return shortagesOf(history.samples, toMs);
}
