import { celFunc, celMethod, CelScalar, listType } from "@bufbuild/cel";
import { charge } from "../cost/meter.ts";
import { checkPatternSize, compilePattern, isPatternKept, type Pattern } from "../patterns/patterns.ts";

const { BOOL, STRING, INT } = CelScalar;

/** A program takes some 100 µs to compile, and 2 µs for each instruction. */
const [programCost, instructionCost] = [500, 8];
const charactersOfOne = 10;

/** The pattern's program, paid for where it has to be compiled. */
function patternOf(text: string): Pattern {
  if (!isPatternKept(text)) charge(programCost + instructionCost * checkPatternSize(text));
  return compilePattern(text);
}

/** A walk through a text inspects each character with as many instructions as wait for it. */
function walkCost(length: number, { size }: Pattern): number {
  return Math.ceil((1 + length / charactersOfOne) * (2 + size / 2));
}

function matches(text: string, pattern: string): boolean {
  const compiled = patternOf(pattern);
  charge(walkCost(text.length, compiled));
  return compiled.test(text);
}

/**
 * All matches, or so many of them. The search for each may go to the end of the text, however short
 * the match is.
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
