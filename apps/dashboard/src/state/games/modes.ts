import { lessons } from "@kintsugi/story";
import { type Signal, signal } from "@preact/signals";
import { readMoment } from "../../model/moment.ts";
import { readPlayAddress } from "../../model/playground/play-address.ts";
import { type Mode, readMode } from "../../model/playground/play-mode.ts";
import { weekSeed } from "../../model/playground/survive-game.ts";
import type { LessonPlay } from "../lesson-play.ts";
import type { Playground } from "../playground.ts";
import type { Race } from "./race.ts";
import type { Survival } from "./survival.ts";

export interface ModesDeps {
  readonly playground: Playground;
  readonly play: LessonPlay;
  readonly race: Race;
  readonly survival: Survival;
  readonly nowMs: () => number;
}

/** The mode of play, and how each mode is opened. */
export interface Modes extends ModesDeps {
  readonly mode: Signal<Mode>;
  /** Opens the mode that an address names. */
  open(hash: string): void;
  choose(mode: Mode): void;
}

export function createModes(deps: ModesDeps): Modes {
  const { playground, play, race, survival, nowMs } = deps;
  const mode = signal<Mode>("campaign");
  const firstOpen = () => lessons.find(({ id }) => !play.done.value.has(id)) ?? lessons[0];
  return {
    ...deps,
    mode,
    open(hash) {
      const asked = readMode(hash);
      mode.value = asked.mode;
      const [first] = lessons;
      play.isShown.value = asked.mode === "campaign";
      if (asked.lesson !== undefined) return play.begin(asked.lesson);
      if (hash === "" && first !== undefined) return play.begin(first);
      const atMs = readMoment(hash);
      const start = atMs === undefined ? undefined : { atMs, isPlaying: false };
      const request = readPlayAddress(hash);
      if (asked.seed === undefined) survival.end();
      if (asked.seed === undefined) playground.play(request, start);
      else survival.open(asked.seed, request.commands ?? [], start);
      return void race.run(asked.rival ?? []);
    },
    choose(wanted) {
      if (wanted === mode.value) return;
      mode.value = wanted;
      play.isShown.value = wanted === "campaign";
      if (wanted !== "race") void race.run([]);
      if (wanted !== "survive") survival.end();
      const next = firstOpen();
      if (wanted === "campaign" && play.lesson.value === undefined && next !== undefined) play.begin(next);
      // A player reads the rules before the run plays.
      if (wanted === "survive") survival.open(weekSeed(nowMs()), [], { atMs: 0, isPlaying: false });
    },
  };
}
