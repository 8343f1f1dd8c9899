import type { Survived } from "../../tools/survived.mjs";
import { addSurvived, survivedLine } from "../../tools/survived.mjs";

export type TurnName = "runs" | "bugs" | "chaosOne" | "chaosThree" | "requests" | "writes";

/** The order of the turns; each search has its first turn before any search has its second turn. */
export const turnNames: readonly TurnName[] = ["writes", "runs", "requests", "bugs", "chaosOne", "chaosThree"];

export interface Failure {
  readonly turn: TurnName;
  readonly seed: number;
  readonly commit: string;
  /** The file with the whole output of the turn. */
  readonly file: string;
}

/** The whole state of a run, from which the run continues after a restart. */
export interface Endurance {
  /** The time that turns have used. */
  readonly spentMs: number;
  readonly turns: number;
  /** No seed is used twice. */
  readonly nextSeed: number;
  readonly commits: readonly string[];
  readonly counts: Partial<Survived>;
  readonly failures: readonly Failure[];
}

export interface TurnResult {
  readonly counts: Partial<Survived>;
  readonly tookMs: number;
  readonly failureFile?: string;
}

export function beginEndurance(seed: number): Endurance {
  return { spentMs: 0, turns: 0, nextSeed: seed, commits: [], counts: {}, failures: [] };
}

/** The next turn, of the turns that this host supports; `known` is not empty. */
export function nextTurn({ turns }: Endurance, known: readonly TurnName[]): TurnName {
  return known[turns % known.length] as TurnName;
}

/** Counts a turn. Events that a failed turn survived before it failed are not counted. */
export function afterTurn(
  before: Endurance,
  { turn, seeds, commit }: { turn: TurnName; seeds: number; commit: string },
  { counts, tookMs, failureFile }: TurnResult,
): Endurance {
  const failure = { turn, seed: before.nextSeed, commit, file: failureFile ?? "" };
  return {
    spentMs: before.spentMs + tookMs,
    turns: before.turns + 1,
    nextSeed: before.nextSeed + seeds,
    commits: before.commits.includes(commit) ? before.commits : [...before.commits, commit],
    counts: failureFile === undefined ? addSurvived([before.counts, counts]) : before.counts,
    failures: failureFile === undefined ? before.failures : [...before.failures, failure],
  };
}

/** The lines that end a run: its failures, and finally the survived events. */
export function endLines({ counts, commits, failures }: Endurance): string[] {
  return [
    ...failures.map(({ turn, seed, commit, file }) => `failed: ${turn}, seed ${seed}, commit ${commit}: ${file}`),
    survivedLine(counts, commits),
  ];
}
