import { shortagesOf } from "@kintsugi/story";
import { computed, effect, signal } from "@preact/signals";
import { survivor, surviveRequest } from "../../model/playground/survive-game.ts";
import type { ProgressStorage } from "../lesson-play.ts";
import type { Playground } from "../playground.ts";

const storageKey = "kintsugi.survive";
/** Number of seeds whose best results are kept. */
const keptMax = 100;

/** The score is the time that users noticed; lower is better. */
export interface Score {
  readonly degradedMs: number;
  readonly downMs: number;
}

export type Survival = ReturnType<typeof createSurvival>;

/** The game of one seed: its score so far, and the best score. */
export function createSurvival(playground: Playground, storage: ProgressStorage) {
  const seed = signal<number | undefined>(undefined);
  const isOver = signal(false);
  const best = signal<Readonly<Record<string, number>>>(readBest(storage));

  const score = computed((): Score | undefined => {
    const player = playground.played.value?.recording.player;
    if (seed.value === undefined || player === undefined) return undefined;
    const samples = player.recording.pods?.find(({ workload }) => workload === survivor)?.samples ?? [];
    const { degradedMs, downMs } = shortagesOf(samples, player.atMs.value);
    return { degradedMs, downMs };
  });

  // Future faults are not shown before they happen.
  effect(() => {
    const { value: run } = playground.played;
    if (run === undefined || seed.value === undefined) return;
    const { player, page } = run.recording;
    const isAtEnd = player.atMs.value >= player.recording.toMs;
    if (isAtEnd && !isOver.peek()) isOver.value = true;
    page.hidesFuture.value = !isOver.value;
    if (isAtEnd && score.value !== undefined) keep(seed.value, score.value.degradedMs);
  });

  function keep(own: number, degradedMs: number): void {
    const before = best.peek()[own];
    if (before !== undefined && before <= degradedMs) return;
    const all: Record<string, number> = { ...best.peek(), [String(own)]: degradedMs };
    const kept = Object.entries(all).slice(-keptMax);
    best.value = Object.fromEntries(kept);
    try {
      storage.setItem(storageKey, JSON.stringify(best.peek()));
    } catch {
      // A private window does not store results.
    }
  }

  return {
    seed,
    isOver,
    best,
    score,
    begin(wanted: number): void {
      seed.value = wanted;
      isOver.value = false;
      playground.play(surviveRequest(wanted), { atMs: 0, isPlaying: true });
    },
    /** Ends the game; its run remains on the page. */
    end(): void {
      seed.value = undefined;
      const page = playground.played.peek()?.recording.page;
      if (page !== undefined) page.hidesFuture.value = false;
    },
  };
}

/** Reads the best results; an invalid text counts as empty. */
function readBest(storage: ProgressStorage): Record<string, number> {
  try {
    const read: unknown = JSON.parse(storage.getItem(storageKey) ?? "{}");
    if (typeof read !== "object" || read === null || Array.isArray(read)) return {};
    const fine = Object.entries(read).filter(
      (entry): entry is [string, number] => /^\d{1,6}$/.test(entry[0]) && typeof entry[1] === "number" && entry[1] >= 0,
    );
    return Object.fromEntries(fine.slice(0, keptMax));
  } catch {
    return {};
  }
}
