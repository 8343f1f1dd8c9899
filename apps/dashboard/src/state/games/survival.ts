import { type AddedCommand, shortagesOf } from "@kintsugi/story";
import { batch, computed, effect, signal } from "@preact/signals";
import { keptSamples, surviveRequest } from "../../model/playground/survive-game.ts";
import type { ProgressStorage } from "../lesson-play.ts";
import type { Playground, RunStart } from "../playground.ts";

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
  /** The commands of an opened address, which another player may have written. */
  const opened = signal<readonly AddedCommand[]>([]);
  const { best, keep } = createBest(storage);

  /** The game's run; undefined while the page still shows an earlier run. */
  const run = computed(() => {
    const { value: played } = playground.played;
    const isOfGame = seed.value !== undefined && played?.request === playground.request.value;
    return isOfGame ? played : undefined;
  });
  const samples = computed(() => keptSamples(run.value?.recording.player.recording ?? {}));
  const commands = computed(() => run.value?.request?.commands ?? []);
  /** True while the run has only the commands of the address. */
  const isShared = computed(() => opened.value.length > 0 && commands.value.length <= opened.value.length);

  /** The score of the seed without a command; undefined until the page has had such a run. */
  const untouchedMs = signal<number | undefined>(undefined);
  effect(() => {
    if (run.value === undefined || commands.value.length > 0) return;
    untouchedMs.value = shortagesOf(samples.value, run.value.recording.player.recording.toMs).degradedMs;
  });

  const score = computed((): Score | undefined => {
    const player = run.value?.recording.player;
    if (player === undefined) return undefined;
    const { degradedMs, downMs } = shortagesOf(samples.value, player.atMs.value);
    return { degradedMs, downMs };
  });

  // Future faults are not shown before they happen.
  effect(() => {
    if (run.value === undefined || seed.value === undefined) return;
    const { player, page } = run.value.recording;
    const isAtEnd = player.atMs.value >= player.recording.toMs;
    if (isAtEnd && !isOver.peek()) isOver.value = true;
    page.hidesFuture.value = !isOver.value;
    if (isAtEnd && score.value !== undefined && !isShared.value) keep(seed.value, score.value.degradedMs);
  });

  /** Opens the game of a seed; `added` are the commands of an address. */
  function open(wanted: number, added: readonly AddedCommand[], start: RunStart | undefined): void {
    batch(() => {
      if (wanted !== seed.value) untouchedMs.value = undefined;
      seed.value = wanted;
      isOver.value = false;
      opened.value = added;
      playground.play({ ...surviveRequest(wanted), commands: added }, start);
    });
  }

  return {
    seed,
    isOver,
    best,
    score,
    untouchedMs,
    commands,
    isShared,
    open,
    begin(wanted: number): void {
      open(wanted, [], { atMs: 0, isPlaying: true });
    },
    /** Ends the game; its run remains on the page. */
    end(): void {
      seed.value = undefined;
      const page = playground.played.peek()?.recording.page;
      if (page !== undefined) page.hidesFuture.value = false;
    },
  };
}

/** The best result of each seed, in the browser's storage. */
function createBest(storage: ProgressStorage) {
  const best = signal<Readonly<Record<string, number>>>(readBest(storage));

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

  return { best, keep };
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
