import { once } from "node:events";
import { homedir } from "node:os";
import { join } from "node:path";
import { lengthInWords, contextName } from "@kintsugi/api";
import { formatInstant } from "@kintsugi/simulation";
import type { Lesson } from "@kintsugi/story";
import { UsageError } from "../scenarios/find-scenario.ts";
import { numberOf } from "./find-lesson.ts";
import type { Learner } from "./learner.ts";
import { turnLines } from "./lesson-lines.ts";
import { type LessonPlaces, type PlayedRun, playRun } from "./play-lesson.ts";
import { lessonCluster, planLesson, playLessonReal } from "./real-lesson.ts";

/** Plays the runs of a lesson, and prints what happens. */
export interface LessonPlayer {
  /** Lines for the learner before the prediction. */
  readonly notes: readonly string[];
  play(settings: readonly string[]): Promise<DebriefedRun>;
}

interface DebriefedRun extends PlayedRun {
  /** Lines after the text of the lesson. */
  readonly debrief: readonly string[];
}

interface PlayerDeps extends LessonPlaces {
  readonly say: (line: string) => void;
  readonly learner: Learner | undefined;
}

interface PlayerOptions {
  readonly real: boolean;
  readonly keep: boolean;
  readonly kubeconfig: string | undefined;
}

/** @throws UsageError for a lesson that real containers cannot play. */
export function choosePlayer(lesson: Lesson, options: PlayerOptions, deps: PlayerDeps): LessonPlayer {
  const { subject } = lesson;
  if (subject.is === "rehearsal")
    return { notes: [], play: () => Promise.reject(new Error("a rehearsal has no run of its own")) };
  if (!options.real)
    return {
      notes: [],
      play: async (settings) => {
        deps.say("\nA cluster runs in virtual time.\n");
        const run = await playRun(subject, settings, deps);
        for (const line of turnLines(run.recording)) deps.say(line);
        return { ...run, debrief: [] };
      },
    };
  const unchanged = planLesson(subject, [], deps);
  if (!unchanged.plan.isPossible)
    throw new UsageError(
      `lesson ${numberOf(lesson)} cannot be played on real containers: ${unchanged.plan.because}. \`kintsugi learn ${numberOf(lesson)}\` plays it in virtual time`,
    );
  const { durationMs } = unchanged.scenario;
  return {
    notes: [
      "",
      `The lesson is played on real containers and takes ${lengthInWords(durationMs)}, and about a minute more for its cluster.`,
    ],
    play: (settings) => playOnLab(planLesson(subject, settings, deps), options, deps),
  };
}

async function playOnLab(
  planned: ReturnType<typeof planLesson>,
  options: PlayerOptions,
  { kintsugiCommand, say, learner }: PlayerDeps,
): Promise<DebriefedRun> {
  const { kubeconfig = join(homedir(), ".kube/config"), keep } = options;
  say(`\nThe cluster starts. You can watch it: kubectl --context ${contextName(lessonCluster)} get pods -o wide\n`);
  const stopped = new AbortController();
  const stop = () => stopped.abort(new UsageError("the lesson was stopped"));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  if (learner !== undefined) void once(learner.left, "abort").then(stop);
  try {
    const deps = { kintsugi: kintsugiCommand, say, signal: stopped.signal };
    const { explained, ...run } = await playLessonReal(planned, deps, { kubeconfig, keep });
    const { atMs, command, lines } = explained;
    return {
      ...run,
      debrief: [
        "",
        `$ ${command}    (at ${formatInstant(Math.round(atMs / 1000) * 1000)})`,
        ...lines.map((line) => `  ${line}`),
      ],
    };
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, stop);
  }
}
