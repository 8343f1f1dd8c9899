import {
  type GoalState,
  judgeGoal,
  judgePrediction,
  type Lesson,
  type PredictionVerdict,
  requestOf,
  type StoryRecording,
} from "@kintsugi/story";
import { computed, effect, type Signal, signal } from "@preact/signals";
import { lessonAt } from "../model/playground/lesson-at.ts";
import type { Playground } from "./playground.ts";

/** The part of a browser's storage that keeps the progress; it is never sent anywhere. */
export interface ProgressStorage {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
}

const storageKey = "kintsugi.lessons";

export type LessonPlay = ReturnType<typeof createLessonPlay>;

/** The lesson in progress: its prediction, the truth, its goal, and the finished lessons. */
export function createLessonPlay(playground: Playground, storage: ProgressStorage) {
  const lesson = signal<Lesson | undefined>(undefined);
  const guess = signal<number | undefined>(undefined);
  const isRevealed = signal(false);
  /** The run on which the prediction was made. A learner who changes the run does not change it. */
  const judged = signal<StoryRecording | undefined>(undefined);
  const hintsShown = signal(0);
  /** Other modes do not have a prediction, so they do not hide the future. */
  const isShown = signal(true);
  const progress = progressIn(storage);

  const verdict = computed(() => verdictOn(playground, { lesson, guess, judged }));
  /** The learner has predicted, and the run plays. */
  const isWatching = computed(
    () => lesson.value?.subject.is === "run" && guess.value !== undefined && verdict.value === undefined,
  );
  const goalState = computed(() => goalStateOf(playground, lesson.value));

  effect(() => revealAtEnd(playground, { lesson, guess, isRevealed, judged, isShown }));
  effect(() => {
    const { value: own } = lesson;
    if (own === undefined || verdict.value === undefined) return;
    if (own.goal === undefined || goalState.value?.isMet === true) progress.finish(own.id);
  });
  // An address may name a lesson, and another scenario ends the lesson.
  effect(() => {
    const { value: request } = playground.request;
    const own = lesson.peek();
    if (request === undefined || (own && requestOf(own)?.scenario === request.scenario)) return;
    open(lessonAt(request));
  });

  function open(next: Lesson | undefined): void {
    lesson.value = next;
    guess.value = undefined;
    isRevealed.value = false;
    judged.value = undefined;
    hintsShown.value = 0;
  }

  return {
    lesson,
    guess,
    isRevealed,
    judged,
    hintsShown,
    isShown,
    done: progress.done,
    verdict,
    isWatching,
    goalState,
    /** Begins a lesson with its own run. */
    begin(next: Lesson): void {
      open(next);
      playground.report.value = undefined;
      const run = requestOf(next);
      if (run !== undefined) playground.play(run);
    },
    /** Accepts the prediction, and plays the run from its beginning. */
    predict(answer: number): void {
      guess.value = answer;
      const { value: own } = lesson;
      if (own?.subject.is === "rehearsal") {
        playground.rehearse({ rehearse: own.subject.example, flags: own.subject.flags });
        return;
      }
      const { value: run } = playground.played;
      if (run === undefined) return;
      run.recording.player.seek(run.recording.player.recording.fromMs);
      run.recording.player.isPlaying.value = true;
    },
    /** Shows the end of the run immediately. */
    reveal(): void {
      const { value: run } = playground.played;
      run?.recording.player.seek(run.recording.player.recording.toMs);
    },
  };
}

/**
 * The future of a run is hidden from viewers who have not seen it, and visible at its end.
 */
function revealAtEnd(
  { played }: Pick<Playground, "played">,
  { lesson, guess, isRevealed, judged, isShown }: Asked & Record<"isRevealed" | "isShown", Signal<boolean>>,
): void {
  if (played.value === undefined) return;
  const { player, page } = played.value.recording;
  if (guess.value !== undefined && player.atMs.value >= player.recording.toMs) {
    isRevealed.value = true;
    judged.value ??= player.recording;
  }
  page.hidesFuture.value = isShown.value && lesson.value?.subject.is === "run" && !isRevealed.value;
}

interface Asked {
  readonly lesson: Signal<Lesson | undefined>;
  readonly guess: Signal<number | undefined>;
  readonly judged: Signal<StoryRecording | undefined>;
}

/** Evaluates the prediction once the truth may be shown. */
function verdictOn(playground: Playground, asked: Asked): PredictionVerdict | undefined {
  const [lesson, guess] = [asked.lesson.value, asked.guess.value];
  if (lesson === undefined || guess === undefined) return undefined;
  const { prediction, subject } = lesson;
  if (subject.is === "rehearsal")
    return playground.report.value === undefined ? undefined : judgePrediction(prediction, guess, undefined);
  const { value: recording } = asked.judged;
  return recording === undefined ? undefined : judgePrediction(prediction, guess, recording);
}

function goalStateOf(playground: Playground, lesson: Lesson | undefined): GoalState | undefined {
  const { played, request, isBusy } = playground;
  const before = lesson && requestOf(lesson);
  if (lesson?.goal === undefined || before === undefined) return undefined;
  if (played.value === undefined || request.value === undefined || isBusy.value) return undefined;
  const { recording, failure } = played.value;
  return judgeGoal(lesson.goal, {
    before,
    after: request.value,
    recording: recording.player.recording,
    failure,
  });
}

/** The lessons that were finished, in this tab and before. */
function progressIn(storage: ProgressStorage) {
  const done = signal<ReadonlySet<string>>(readProgress(storage));
  return {
    done,
    finish(id: string): void {
      if (done.peek().has(id)) return;
      done.value = new Set([...done.peek(), id]);
      try {
        storage.setItem(storageKey, JSON.stringify([...done.peek()]));
      } catch {
        // A private window does not store the progress, without other effects.
      }
    },
  };
}

/** Reads the finished lessons; an invalid text counts as empty. */
function readProgress(storage: ProgressStorage): ReadonlySet<string> {
  try {
    const read: unknown = JSON.parse(storage.getItem(storageKey) ?? "[]");
    return new Set(Array.isArray(read) ? read.filter((each): each is string => typeof each === "string") : []);
  } catch {
    return new Set();
  }
}
