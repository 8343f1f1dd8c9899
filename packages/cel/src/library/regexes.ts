import { celFunc, celMethod, CelScalar, listType } from "@bufbuild/cel";
import { charge } from "../cost/meter.ts";
import { checkPatternSize, compilePattern, isPatternKept, type Pattern } from "../patterns/patterns.ts";

const { BOOL, STRING, INT } = CelScalar;

/** A program takes about 100 µs to compile, and 2 µs for each instruction. */
const [programCost, instructionCost] = [500, 8];
const charactersOfOne = 10;

/** The pattern's program, charged when it has to be compiled. */
function patternOf(text: string): Pattern {
  if (!isPatternKept(text)) charge(programCost + instructionCost * checkPatternSize(text));
  return compilePattern(text);
}

/** A search inspects each character with as many instructions as are active at that character. */
function walkCost(length: number, { size }: Pattern): number {
  return Math.ceil((1 + length / charactersOfOne) * (2 + size / 2));
}

function matches(text: string, pattern: string): boolean {
  const compiled = patternOf(pattern);
  charge(walkCost(text.length, compiled));
  return compiled.test(text);
}

/**
 * All matches, up to a limit. The search for each match may run to the end of the text, however
 * short the match is.
 */
function matchesOf(text: string, pattern: string, max: number): string[] {
  const compiled = patternOf(pattern);
  charge(walkCost(text.length, compiled));
  const found: string[] = [];
  if (max === 0) return found;
  for (const match of compiled.matches(text)) {
    found.push(match.text);
    if (found.length === max) break;
    charge(walkCost(text.length - match.end, compiled));
  }
  return found;
}

export const regexFunctions = [
  celFunc("matches", [STRING, STRING], BOOL, matches),
  celMethod("matches", STRING, [STRING], BOOL, function (pattern) {
    return matches(this, pattern);
  }),
  celMethod("find", STRING, [STRING], STRING, function (pattern) {
    return matchesOf(this, pattern, 1)[0] ?? "";
  }),
  celMethod("findAll", STRING, [STRING], listType(STRING), function (pattern) {
    return matchesOf(this, pattern, -1) as never;
  }),
  celMethod("findAll", STRING, [STRING, INT], listType(STRING), function (pattern, max) {
    return matchesOf(this, pattern, Number(max)) as never;
  }),
];
