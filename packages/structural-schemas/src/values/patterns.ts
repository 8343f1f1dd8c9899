import type { Faults, JsonSchema } from "@kintsugi/api";
import { compilePattern, type Pattern, patternSize } from "@kintsugi/cel";
import { schemasWithin } from "../schema-parts.ts";
import { type Budget, spendVisits } from "./place.ts";

/** Explains why a string is not a pattern; undefined for a pattern. */
export function explainPattern(text: string): string | undefined {
  try {
    compilePattern(text);
    return undefined;
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
}

/**
 * A match takes at most 8 ns for each character and instruction, so this number of characters times
 * instructions takes as long as one visit.
 */
const matchesOfVisit = 64;

/**
 * Reports whether a string matches the pattern of a field. A pattern that was stored by a version
 * with other limits never matches. @throws ApiError when the matches of an object take too long.
 */
export function matchesPattern(text: string, pattern: string, budget: Budget): boolean {
  let compiled: Pattern;
  try {
    compiled = compilePattern(pattern);
  } catch {
    return false;
  }
  spendVisits(budget, Math.ceil((text.length * compiled.size) / matchesOfVisit));
  return compiled.test(text);
}

/**
 * Limit on the total instructions of all patterns of a definition, which take about 150 ms to
 * compile. The largest definitions in use have a fifth of this number.
 */
const instructionsMax = 50_000;

/** Rejects schemas whose patterns are too large together, before any of them is compiled. */
export function checkPatterns(schemas: readonly JsonSchema[], path: string, faults: Faults): boolean {
  const patterns = new Set<string>();
  const waiting = [...schemas];
  for (let schema = waiting.pop(); schema !== undefined; schema = waiting.pop()) {
    if (schema.pattern !== undefined) patterns.add(schema.pattern);
    waiting.push(...schemasWithin(schema));
  }
  const instructions = [...patterns].reduce((sum, pattern) => sum + patternSize(pattern), 0);
  if (instructions <= instructionsMax) return true;
  const what = `the patterns need programs of ${instructions} instructions together, more than ${instructionsMax}`;
  faults.forbidden(path, `${what}: use fewer or smaller repetitions`);
  return false;
}
