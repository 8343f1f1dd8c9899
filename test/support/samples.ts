/**
 * True with `KINTSUGI_SAMPLES=all`: tests that enumerate cases then run all of them. `npm test`
 * runs a sample, because all cases together take longer than everything else.
 */
export const runsAllSamples = process.env["KINTSUGI_SAMPLES"] === "all";

/**
 * Returns each `step`-th case, beginning with the first; all cases with `KINTSUGI_SAMPLES=all`.
 */
export function sampleOf<T>(cases: readonly T[], step: number): readonly T[] {
  return runsAllSamples ? cases : cases.filter((_, index) => index % step === 0);
}

/** Defines tests that no sample contains. */
export function onlyInAllSamples(defineTests: () => void): void {
  if (runsAllSamples) defineTests();
}
