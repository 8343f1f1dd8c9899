import { SeededRandomSource } from "@kintsugi/simulation";

/** The user of the operator in an explored run. */
export const operatorName = "operator";

const kinds = [
  "operator dies",
  "operator dies after a write",
  "operator is cut off",
  "answers are lost",
  "requests fail",
  "writes conflict",
  "requests are slow",
] as const;

/** One fault of an explored run. */
export interface Trouble {
  readonly what: (typeof kinds)[number];
  readonly atMs: number;
  readonly forMs: number;
}

const troublesMax = 6;
const lastsMaxMs = 20_000;

/**
 * Draws the faults of a run, in the order of their times; the same seed results in the same faults.
 */
export function drawTroubles(seed: number, durationMs: number): Trouble[] {
  const random = new SeededRandomSource(seed).of("troubles");
  const count = 1 + random.integer(troublesMax);
  return Array.from({ length: count }, () => ({
    what: kinds[random.integer(kinds.length)] ?? "operator dies",
    atMs: random.integer(durationMs),
    forMs: 1 + random.integer(lastsMaxMs),
  })).toSorted((a, b) => a.atMs - b.atMs);
}
