import { type PlayRequest, shortagesOf, type StoryRecording } from "@kintsugi/story";
import { computed, signal } from "@preact/signals";
import type { PlayedAnswer } from "../../data/prepared-runs.ts";
import { withSetting } from "../../model/playground/play-address.ts";
import type { Playground } from "../playground.ts";

/** One run of a race. */
export interface Racer {
  readonly name: string;
  readonly recording: StoryRecording;
}

type Simulate = (request: PlayRequest) => Promise<PlayedAnswer | { readonly is: "refused"; readonly because: string }>;

export type Race = ReturnType<typeof createRace>;

/**
 * Simulates the scenario of the page a second time with other settings, in parallel.
 * @param simulate simulates in a separate worker, so that both runs are simulated in parallel
 */
export function createRace(playground: Playground, simulate: Simulate) {
  const settings = signal<readonly string[]>([]);
  const rival = signal<StoryRecording | undefined>(undefined);
  const isBusy = signal(false);
  const refusal = signal("");
  let turn = 0;

  const racers = computed((): readonly Racer[] => {
    const own = playground.played.value?.recording.player.recording;
    if (own === undefined || rival.value === undefined || settings.value.length === 0) return [];
    return [
      { name: ownName(playground.request.value, settings.value), recording: own },
      { name: settings.value.join(", "), recording: rival.value },
    ];
  });

  return {
    settings,
    isBusy,
    refusal,
    racers,
    /** Simulates the run with other settings; without settings it ends the race. */
    async run(wanted: readonly string[]): Promise<void> {
      const own = ++turn;
      settings.value = wanted;
      [rival.value, refusal.value] = [undefined, ""];
      const { value: request } = playground.request;
      if (wanted.length === 0 || request === undefined) return;
      isBusy.value = true;
      const answer = await simulate(wanted.reduce(withSettingOf, request));
      if (own !== turn) return;
      isBusy.value = false;
      if (answer.is === "refused") refusal.value = answer.because;
      else rival.value = answer.recording;
    },
  };
}

function withSettingOf(request: PlayRequest, setting: string): PlayRequest {
  const equals = setting.indexOf("=");
  return withSetting(request, setting.slice(0, equals), setting.slice(equals + 1));
}

/** The first run is labeled by its own values of the differing settings. */
function ownName(request: PlayRequest | undefined, settings: readonly string[]): string {
  const names = settings.map((each) => each.slice(0, each.indexOf("=")));
  return names
    .map((name) => request?.settings.find((each) => each.startsWith(`${name}=`)) ?? `${name} as written`)
    .join(", ");
}

/** The degraded time of all workloads of a run up to a moment. */
export function degradedUntil({ pods = [], fromMs }: StoryRecording, passedMs: number): number {
  return pods.reduce((sum, { samples }) => sum + shortagesOf(samples, fromMs + passedMs).degradedMs, 0);
}
