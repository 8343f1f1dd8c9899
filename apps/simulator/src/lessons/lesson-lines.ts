import {
  answerText,
  checkText,
  type Goal,
  type GoalState,
  type Knob,
  type Lesson,
  lessons,
  type Prediction,
  type PredictionVerdict,
  type StoryRecording,
} from "@kintsugi/story";
import { countedNoun } from "@kintsugi/api";
import { formatInstant } from "@kintsugi/simulation";
import { numberOf } from "./find-lesson.ts";

// The texts of a lesson in a terminal; the dialogue around them is in learn-command.ts.

/** A run has at most about a hundred captions; a reader is interested in its turning points. */
const turnsMax = 40;

export function questionLines(lesson: Lesson): string[] {
  const { title, minutes, question, prediction } = lesson;
  return [`Lesson ${numberOf(lesson)}: ${title} (about ${minutes} min)`, "", question, ...optionLines(prediction)];
}

function optionLines(prediction: Prediction): string[] {
  if (prediction.is !== "choice") return [];
  return prediction.options.map((option, index) => `  ${index + 1}. ${option}`);
}

/** The requested form of the answer. */
export function askedFor(prediction: Prediction): string {
  switch (prediction.is) {
    case "choice":
      return `a number from 1 to ${prediction.options.length}`;
    case "count":
      return "a number";
    case "seconds":
      return "a time, such as 90s or 5m40s";
    case "mark":
      return "a time since the beginning, such as 8m30s";
  }
}

export function turnLines({ captions, fromMs }: StoryRecording): string[] {
  const shown = captions.slice(0, turnsMax);
  const left = captions.length - shown.length;
  return [
    ...shown.map(({ atMs, text }) => `  ${formatInstant(atMs - fromMs).padStart(10)}  ${text}`),
    ...(left === 0 ? [] : [`  and ${left} more`]),
  ];
}

export function verdictLines(lesson: Lesson, guess: number, { isRight, truth }: PredictionVerdict): string[] {
  const said = answerText(lesson.prediction, guess);
  const found = answerText(lesson.prediction, truth);
  return [
    isRight ? `You were right: ${found}.` : `It was different: ${found}. You said: ${said}.`,
    "",
    lesson.debrief,
    "",
    "The code that decided it:",
    ...lesson.code.map(({ path, decides }) => `  ${path}  ${decides}`),
  ];
}

export function goalLines({ text, changesMax, knobs }: Goal): string[] {
  return [
    `Your turn. ${text}`,
    `You may change ${changesMax === 1 ? "one" : `up to ${changesMax}`} of these settings:`,
    ...knobs.flatMap(knobLines),
  ];
}

/** A value with spaces has its own line. */
function knobLines({ setting, label, values, asItIs }: Knob): string[] {
  if (values.every((each) => !each.includes(" ")))
    return [`  ${setting}=${values.join(" | ")}  (${label}, as it is: ${asItIs})`];
  return [`  ${label}, as it is: ${asItIs}`, ...values.map((each) => `    ${setting}=${each}`)];
}

/**
 * The command that tries a change of a goal. The first value of a setting is often the run's own.
 */
export function tryLines(lesson: Lesson, { goal, isReal }: { goal: Goal; isReal: boolean }): string[] {
  const [{ setting, values } = { setting: "SETTING", values: [] }] = goal.knobs;
  const real = isReal ? " --real" : "";
  const several = goal.changesMax === 1 ? "" : "a comma separates several changes; ";
  return [
    `Try a change: kintsugi learn ${numberOf(lesson)}${real} --change ${shellWord(`${setting}=${values[1] ?? values[0]}`)}`,
    `(${several}--hints 1 prints the first hint)`,
  ];
}

/** The lesson after this one; nothing after the last lesson. */
export function nextLines(lesson: Lesson): string[] {
  const next = lessons[numberOf(lesson)];
  return next === undefined ? [] : ["", `Next: kintsugi learn ${numberOf(next)}  (${next.title})`];
}

function shellWord(text: string): string {
  return /^[\w./=,:-]+$/.test(text) ? text : `'${text}'`;
}

export function goalStateLines(goal: Goal, { isMet, checks, changes, because }: GoalState): string[] {
  const head =
    because === undefined ? (isMet ? "The goal is met." : "Not yet.") : `This result does not count: ${because}.`;
  return [
    head,
    ...checks.map((state) => `  ${state.isMet ? "✓" : "✗"} ${checkText(state)}`),
    `  ${changes <= goal.changesMax ? "✓" : "✗"} ${countedNoun(changes, "change")} of at most ${goal.changesMax}`,
  ];
}
