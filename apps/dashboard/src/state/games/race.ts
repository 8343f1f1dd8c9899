import { type PlayRequest, shortagesOf, type StoryRecording } from "@kintsugi/story";
import { computed, effect, signal } from "@preact/signals";
import type { PlayedAnswer } from "../../data/prepared-runs.ts";
import { withSetting } from "../../model/playground/play-address.ts";
import { differenceText, ownDifferenceText } from "../../model/playground/setting-words.ts";
import type { Playground } from "../playground.ts";

/** One run of a race. */
export interface Racer {
  /** The difference from the other run: "with fast timers". */
  readonly name: string;
  readonly recording: StoryRecording;
}

/** @param onProgress called with the simulated part, 0 to 1 */
type Simulate = (
  request: PlayRequest,
  onProgress: (part: number) => void,
) => Promise<PlayedAnswer | { readonly is: "refused"; readonly because: string }>;

export type Race = ReturnType<typeof createRace>;

/**
 * Simulates the scenario of the page a second time with other settings, in parallel.
 * @param simulate simulates in a separate worker, so that both runs are simulated in parallel
 */
export function createRace(playground: Playground, simulate: Simulate) {
  const { request } = playground;
  const settings = signal<readonly string[]>([]);
  const rival = signal<StoryRecording | undefined>(undefined);
  const isBusy = signal(false);
  /** The simulated part of the second run, 0 to 1; undefined before it is known. */
  const simulated = signal<number | undefined>(undefined);
  const refusal = signal("");
  let turn = 0;

  const racers = computed((): readonly Racer[] => {
    const own = playground.played.value?.recording.player.recording;
    if (own === undefined || rival.value === undefined || settings.value.length === 0) return [];
    return [
      {
        name: joined(settings.value.map((each) => ownDifferenceText(each, { request: request.value, recording: own }))),
        recording: own,
      },
      { name: joined(settings.value.map(differenceText)), recording: rival.value },
    ];
  });

  /** Simulates the run with other settings; without settings it ends the race. */
  const run = async (wanted: readonly string[]): Promise<void> => {
    const own = ++turn;
    settings.value = wanted;
    [rival.value, refusal.value, simulated.value, isBusy.value] = [undefined, "", undefined, false];
    if (wanted.length === 0 || request.value === undefined) return;
    isBusy.value = true;
    const answer = await simulate(wanted.reduce(withSettingOf, request.value), (part) => {
      if (own === turn) simulated.value = part;
    });
    if (own !== turn) return;
    isBusy.value = false;
    if (answer.is === "refused") refusal.value = answer.because;
    else rival.value = answer.recording;
  };
  // A fault or another setting of the first run is also one of the second run.
  effect(() => {
    if (request.value !== undefined) void run(settings.peek());
  });
  return { settings, isBusy, simulated, refusal, racers, run };
}

function joined(differences: readonly string[]): string {
  return differences.join(" and ");
}

function withSettingOf(request: PlayRequest, setting: string): PlayRequest {
  const equals = setting.indexOf("=");
  return withSetting(request, setting.slice(0, equals), setting.slice(equals + 1));
}

/** The degraded time of all workloads of a run up to a moment. */
export function degradedUntil({ pods = [], fromMs }: StoryRecording, passedMs: number): number {
  return pods.reduce((sum, { samples }) => sum + shortagesOf(samples, fromMs + passedMs).degradedMs, 0);
}
