import { isApiError } from "@kintsugi/api";
import { ConnectionError, InvalidKubeconfig } from "@kintsugi/client";
import { readCommandLine, readOrExplain } from "@kintsugi/daemon";
import { UnreadableSource } from "@kintsugi/rehearsal";
import { type Goal, judgeGoal, judgePrediction, type Lesson, type RunSubject, readPrediction } from "@kintsugi/story";
import { InvalidFile } from "@kintsugi/yaml-text";
import { UsageError } from "../scenarios/find-scenario.ts";
import { readChanges } from "./read-changes.ts";
import { findLesson, lessonList, numberOf } from "./find-lesson.ts";
import { learnFlags, learnProgram } from "./learn-flags.ts";
import {
  askedFor,
  goalLines,
  goalStateLines,
  nextLines,
  questionLines,
  tryLines,
  verdictLines,
} from "./lesson-lines.ts";
import { type LessonPlayer, choosePlayer } from "./choose-player.ts";
import { type Learner, learnerAtTerminal } from "./learner.ts";
import { type LessonPlaces, type PlayedRun, rehearseLesson, withSettings } from "./play-lesson.ts";
import { LabFailed } from "./real/lab-commands.ts";

/** Exit codes: played · the goal was not met · the command line or the named lesson is invalid. */
const exitCodes = { fine: 0, unmet: 1, usage: 2 } as const;
/** Number of invalid answers after which the user probably wants to stop. */
const triesMax = 50;

interface LearnDeps extends LessonPlaces {
  readonly say: (line: string) => void;
  /** Absent without a terminal. */
  readonly learner: Learner | undefined;
}

interface LearnOptions {
  readonly answer: string | undefined;
  readonly change: string | undefined;
  readonly hints: number;
  readonly real: boolean;
  readonly keep: boolean;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/**
 * Plays a lesson, or lists all lessons.
 * @returns the exit code.
 */
export async function learnCommand(args: string[], places: LessonPlaces): Promise<number> {
  const { flags, operands } = readOrExplain("learn", () => readCommandLine(learnProgram, learnFlags, args));
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  using learner = process.stdin.isTTY && flags.answer === undefined ? learnerAtTerminal() : undefined;
  try {
    return await playInDialogue(operands[0], flags, { ...places, say, learner });
  } catch (error) {
    const expected = [UsageError, InvalidFile, UnreadableSource, InvalidKubeconfig, ConnectionError, LabFailed];
    if (!isApiError(error) && !expected.some((kind) => error instanceof kind)) throw error;
    process.stderr.write(`ERROR: ${(error as Error).message}\n`);
    return exitCodes.usage;
  }
}

/** The dialogue of a lesson; all inputs are parameters, for tests. */
export async function playInDialogue(
  asked: string | undefined,
  options: LearnOptions,
  deps: LearnDeps,
): Promise<number> {
  const tell = (lines: readonly string[]) => lines.forEach((line) => deps.say(line));
  if (asked === undefined) {
    tell(lessonList());
    return exitCodes.fine;
  }
  const lesson = findLesson(asked);
  checkGoalFlags(lesson, options);
  const player = choosePlayer(lesson, options, deps);
  tell(questionLines(lesson));
  tell(player.notes);
  tell(hintLines(lesson, options.hints));
  const { subject, goal } = lesson;
  // A learner who tries one change after another has made the prediction before. On real
  // containers, the unchanged run would take minutes.
  const isGoalOnly = options.change !== undefined && (options.real || options.answer === undefined);
  if (subject.is === "run" && goal !== undefined && isGoalOnly)
    return reachGoal({ lesson, subject, goal, run: undefined, player }, options, deps);
  const guess = await predictionOf(lesson, options, deps);
  if (guess === undefined) return exitCodes.fine;
  if (subject.is === "rehearsal") {
    deps.say(
      options.real ? "\nYour cluster is read, and rehearsed in virtual time.\n" : "\nThe example is rehearsed.\n",
    );
    const own = options.real ? options : undefined;
    tell(await rehearseLesson(subject, deps, { own, say: deps.say }));
    deps.say(options.real ? "\nThe answer of the lesson's example:" : "");
    tell(verdictLines(lesson, guess, judgePrediction(lesson.prediction, guess, undefined)));
    tell(nextLines(lesson));
    return exitCodes.fine;
  }
  const run = await player.play([]);
  deps.say("");
  tell(verdictLines(lesson, guess, judgePrediction(lesson.prediction, guess, run.recording)));
  tell(run.debrief);
  if (run.failure !== undefined) deps.say(`An invariant of the cluster was violated: ${run.failure}`);
  if (goal !== undefined) return reachGoal({ lesson, subject, goal, run, player }, options, deps);
  tell(nextLines(lesson));
  return exitCodes.fine;
}

/**
 * A change that is not offered is rejected before the run, which takes seconds. @throws UsageError
 */
function checkGoalFlags(lesson: Lesson, { change, hints }: LearnOptions): void {
  const { goal } = lesson;
  if (goal !== undefined) {
    if (change !== undefined) readChanges(goal, change);
    return;
  }
  const because = `lesson ${numberOf(lesson)} has no goal; \`kintsugi learn\` lists the lessons that have a goal`;
  if (change !== undefined) throw new UsageError(`--change is for a goal, and ${because}`);
  if (hints > 0) throw new UsageError(`--hints is for a goal, and ${because}`);
}

function hintLines({ goal }: Lesson, count: number): string[] {
  return (goal?.hints ?? []).slice(0, count).map((hint, index) => `Hint ${index + 1}: ${hint}`);
}

/** Undefined without an answer, which is reported. @throws UsageError */
async function predictionOf(lesson: Lesson, { answer }: LearnOptions, deps: LearnDeps): Promise<number | undefined> {
  const { prediction } = lesson;
  if (answer !== undefined) {
    const read = readPrediction(prediction, answer);
    if (read === undefined)
      throw new UsageError(`--answer "${answer}" is not an answer; write ${askedFor(prediction)}`);
    return read;
  }
  for (let tries = 0; deps.learner !== undefined && tries < triesMax; tries++) {
    const typed = await deps.learner.ask(`\nYour prediction (${askedFor(prediction)}): `);
    if (typed === undefined) break;
    const read = readPrediction(prediction, typed);
    if (read !== undefined) return read;
    deps.say(`That is not an answer; write ${askedFor(prediction)}.`);
  }
  deps.say(`\nPredict the outcome: kintsugi learn ${numberOf(lesson)} --answer ANSWER, with ${askedFor(prediction)}`);
  return undefined;
}

interface GoalAtHand {
  readonly lesson: Lesson;
  readonly subject: RunSubject;
  readonly goal: Goal;
  /** The original run, without a change, if this run was played. */
  readonly run: PlayedRun | undefined;
  readonly player: LessonPlayer;
}

async function reachGoal(at: GoalAtHand, options: LearnOptions, deps: LearnDeps): Promise<number> {
  const { goal, lesson } = at;
  deps.say("");
  for (const line of goalLines(goal)) deps.say(line);
  const tell = (lines: readonly string[]) => lines.forEach((line) => deps.say(line));
  const ways = { goal, isReal: options.real };
  if (options.change !== undefined) {
    const isMet = await tryChange(at, options.change, deps);
    tell(isMet ? nextLines(lesson) : ["", ...tryLines(lesson, ways)]);
    return isMet ? exitCodes.fine : exitCodes.unmet;
  }
  let hints = options.hints;
  for (let tries = 0; deps.learner !== undefined && tries < triesMax; tries++) {
    const typed = (await deps.learner.ask("\nA change, “hint” or “stop”: "))?.trim();
    if (typed === undefined || typed === "" || /^(stop|quit|exit)$/.test(typed)) return exitCodes.fine;
    if (typed === "hint") {
      const hint = goal.hints[hints];
      deps.say(hint ?? "There are no further hints.");
      hints++;
    } else if (await tryOrExplain(at, typed, deps)) {
      tell(nextLines(lesson));
      return exitCodes.fine;
    }
  }
  tell(tryLines(lesson, ways));
  return exitCodes.fine;
}

/** A user may try again after an invalid setting. */
async function tryOrExplain(at: GoalAtHand, typed: string, deps: LearnDeps): Promise<boolean> {
  try {
    return await tryChange(at, typed, deps);
  } catch (error) {
    if (!(error instanceof InvalidFile || error instanceof UsageError)) throw error;
    deps.say(error.message);
    return false;
  }
}

async function tryChange(
  { subject, goal, run, player }: GoalAtHand,
  change: string,
  deps: LearnDeps,
): Promise<boolean> {
  const settings = readChanges(goal, change);
  const { request } = subject;
  const after = withSettings(request, settings);
  const isChanged = after.settings.some((each) => !request.settings.includes(each));
  const { recording, failure } = isChanged || run === undefined ? await player.play(settings) : run;
  const state = judgeGoal(goal, { before: request, after, recording, failure });
  for (const line of goalStateLines(goal, state)) deps.say(line);
  return state.isMet;
}
