import { countedNoun, lengthInWords } from "@kintsugi/api";
import type { CheckState } from "./judge-lesson.ts";
import type { GoalCheck, Prediction } from "./lesson.ts";

/** An answer or a truth in the prediction's own words. */
export function answerText(prediction: Prediction, answer: number): string {
  switch (prediction.is) {
    case "choice":
      return prediction.options[answer] ?? "";
    case "count":
      return String(answer);
    case "seconds":
      return lengthInWords(answer * 1000);
    case "mark":
      return `at ${lengthInWords(answer * 1000)}`;
  }
}

/** The answers that a person types: "2" for the second choice, "340", "5m40s", "5:40". */
export function readPrediction(prediction: Prediction, typed: string): number | undefined {
  const text = typed.trim().toLowerCase();
  if (prediction.is === "choice") {
    const byName = prediction.options.findIndex((option) => option.toLowerCase() === text);
    const number = /^\d{1,2}$/.test(text) ? Number(text) - 1 : byName;
    return prediction.options[number] === undefined ? undefined : number;
  }
  if (/^\d{1,6}$/.test(text)) return Number(text);
  if (prediction.is === "count") return undefined;
  const [, minutes, seconds] =
    /^(?:(\d{1,4})\s*(?:m|min))?\s*(?:(\d{1,5})\s*(?:s|sec))?$/.exec(text) ?? /^(\d{1,4}):(\d\d)$/.exec(text) ?? [];
  if (minutes === undefined && seconds === undefined) return undefined;
  return Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
}

const countWords = { created: "created pod", evictions: "eviction", restarts: "restart" } as const;

/** "web: degraded for 49 s of at most 1 min". */
export function checkText({ check, found }: CheckState): string {
  return `${check.workload}: ${foundText(check, found)}`;
}

function foundText(check: GoalCheck, found: number): string {
  switch (check.is) {
    case "degraded":
      return `degraded for ${lengthInWords(found)} of at most ${lengthInWords(check.msMax)}`;
    case "downtime":
      return `down for ${lengthInWords(found)} of at most ${lengthInWords(check.msMax)}`;
    case "available":
      return `${found} available at the worst moment, of at least ${check.atLeast}`;
    default:
      return `${countedNoun(found, countWords[check.is])} of at most ${check.max}`;
  }
}
