import { flagsOfTimers, type Scenario } from "@kintsugi/simulation";
import type { RunSubject } from "@kintsugi/story";
import { timerFlags } from "../cluster/timer-flags.ts";
import type { PlayedRun } from "./play-lesson.ts";
import { type LessonPlaces, scenarioWith } from "./play-lesson.ts";
import { planRealRun, type RealPlan } from "./real/plan-real-run.ts";
import { playReal, type RealRun, type RealRunDeps } from "./real/play-real.ts";

/** The cluster of a lesson; its context is kintsugi-learn. */
export const lessonCluster = "learn";

/** Plans a lesson on real containers, or states why it can only be played in virtual time. */
export function planLesson(
  subject: RunSubject,
  settings: readonly string[],
  places: Pick<LessonPlaces, "shippedDirectory">,
): { readonly scenario: Scenario; readonly plan: RealPlan } {
  const { scenario } = scenarioWith(subject, settings, places);
  const timerValues = flagsOfTimers(timerFlags, scenario.timers ?? {});
  return { scenario, plan: planRealRun(scenario, { cluster: lessonCluster, timerValues }) };
}

/** A run on real containers; invariants of the store are only checked in virtual time. */
export interface PlayedRealRun extends PlayedRun {
  readonly explained: RealRun["explained"];
}

/** @throws LabFailed when the cluster cannot be made or changed. */
export async function playLessonReal(
  { scenario, plan }: ReturnType<typeof planLesson>,
  deps: RealRunDeps,
  options: { readonly kubeconfig: string; readonly keep: boolean },
): Promise<PlayedRealRun> {
  if (!plan.isPossible) throw new Error(plan.because);
  const { recording, explained } = await playReal(deps, { scenario, plan, ...options });
  return { recording, explained, failure: undefined };
}
