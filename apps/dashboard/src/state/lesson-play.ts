import {
  type GoalState,
  judgeGoal,
  judgePrediction,
  type Lesson,
  lessons,
  type PredictionVerdict,
} from "@kintsugi/story";
import { computed, effect, signal } from "@preact/signals";
import { writePlayAddress } from "../model/playground/play-address.ts";
import type { Playground } from "./playground.ts";

/** The part of a browser's storage that keeps the progress; nothing leaves the tab. */
export interface ProgressStorage {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
}

const storageKey = "kintsugi.lessons";

export type LessonPlay = ReturnType<typeof createLessonPlay>;

/** The lesson that is played: its prediction, the truth, its goal, and which lessons are done. */
export function createLessonPlay(playground: Playground, storage: ProgressStorage) {
  const lesson = signal<Lesson | undefined>(undefined);
  const guess = signal<number | undefined>(undefined);
  const isRevealed = signal(false);
  const hintsShown = signal(0);
  const progress = progressIn(storage);

  const verdict = computed<PredictionVerdict | undefined>(() => {
    const { value: life } = playground.played;
    if (lesson.value === undefined || guess.value === undefined || !isRevealed.value || life === undefined)
      return undefined;
    return judgePrediction(lesson.value.prediction, guess.value, life.recording.player.recording);
  });
  const goalState = computed<GoalState | undefined>(() => {
    const { played, request, isBusy } = playground;
    const { value: own } = lesson;
    if (own?.goal === undefined || played.value === undefined || request.value === undefined || isBusy.value)
      return undefined;
    const { recording } = played.value.recording.player;
    return judgeGoal(own.goal, { lesson: own, request: request.value, recording });
  });

  // The future of a life is hidden from those who have not seen it, and seen at its end.
  effect(() => {
    const { value: life } = playground.played;
    if (life === undefined) return;
    const { player, page } = life.recording;
    if (guess.value !== undefined && player.atMs.value >= player.recording.toMs) isRevealed.value = true;
    page.hidesFuture.value = lesson.value !== undefined && !isRevealed.value;
  });
  effect(() => {
    const { value: own } = lesson;
    if (own === undefined || verdict.value === undefined) return;
    if (own.goal === undefined || goalState.value?.isMet === true) progress.finish(own.id);
  });
  // An address may be that of a lesson, and another scenario ends the lesson.
  effect(() => {
    const { value: request } = playground.request;
    if (request === undefined || lesson.peek()?.request.scenario === request.scenario) return;
    const address = writePlayAddress(request);
    open(lessons.find((each) => writePlayAddress(each.request) === address));
  });

  function open(next: Lesson | undefined): void {
    lesson.value = next;
    guess.value = undefined;
    isRevealed.value = false;
    hintsShown.value = 0;
  }

  return {
    lesson,
    guess,
    isRevealed,
    hintsShown,
    done: progress.done,
    verdict,
    goalState,
    /** Begins a lesson with its own life. */
    begin(next: Lesson): void {
      open(next);
      playground.play(next.request);
    },
    /** Takes the prediction, and plays the life from its beginning. */
    predict(answer: number): void {
      guess.value = answer;
      const { value: life } = playground.played;
      if (life === undefined) return;
      life.recording.player.seek(life.recording.player.recording.fromMs);
      life.recording.player.isPlaying.value = true;
    },
    /** Shows the end of the life at once. */
    reveal(): void {
      const { value: life } = playground.played;
      life?.recording.player.seek(life.recording.player.recording.toMs);
    },
  };
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
        // A private window keeps nothing, which changes nothing else.
      }
    },
  };
}

/** Reads the finished lessons; a text that is none counts as nothing. */
function readProgress(storage: ProgressStorage): ReadonlySet<string> {
  try {
    const read: unknown = JSON.parse(storage.getItem(storageKey) ?? "[]");
    return new Set(Array.isArray(read) ? read.filter((each): each is string => typeof each === "string") : []);
  } catch {
    return new Set();
  }
}
