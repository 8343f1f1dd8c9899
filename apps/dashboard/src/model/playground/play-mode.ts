import { type Lesson, lessons } from "@kintsugi/story";
import { lessonAt } from "./lesson-at.ts";
import { readPlayAddress } from "./play-address.ts";
import { readSeed } from "./survive-game.ts";

/** The modes of play, in the order of their tabs. */
export const playModes = ["campaign", "sandbox", "race", "survive"] as const;
export type Mode = (typeof playModes)[number];

export interface ModeAddress {
  readonly mode: Mode;
  /** The lesson that the address names: "lesson=rehearse-nodes". */
  readonly lesson?: Lesson;
  /** The seed of the game. */
  readonly seed?: number;
  /** The settings of the second run of a race. */
  readonly rival?: readonly string[];
}

/**
 * Limit on differing settings, because the reason of a result is visible only if the runs differ in
 * few settings.
 */
const rivalMax = 5;

/**
 * Reads the mode of an address. The campaign has the runs of lessons, and the sandbox has all other
 * runs.
 */
export function readMode(hash: string): ModeAddress {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const lesson = lessons.find(({ id }) => id === query.get("lesson"));
  if (lesson !== undefined) return { mode: "campaign", lesson };
  const rival = query.getAll("rival").filter((each) => /^[\w.-]+=[^,]+$/.test(each));
  if (rival.length > 0) return { mode: "race", rival: rival.slice(0, rivalMax) };
  const seed = readSeed(query.get("survive") ?? "");
  if (seed !== undefined) return { mode: "survive", seed };
  const isLesson = hash === "" || lessonAt(readPlayAddress(hash)) !== undefined;
  return { mode: isLesson ? "campaign" : "sandbox" };
}
