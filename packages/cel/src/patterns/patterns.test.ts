import { withinLimits } from "@kintsugi/api/testing";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { patternSize } from "./pattern-size.ts";
import { compilePattern, keptPatternBytes, patternSizeMax } from "./patterns.ts";

const atom = fc.constantFrom(
  "a",
  "bc",
  ".",
  "\\d",
  "[a-z]",
  "[^\\]x]",
  "[]a]",
  "[[:alpha:]-]",
  "\\Qa{9}\\E",
  "\\pL",
  "^",
  "$",
  "\\.",
  "{",
  "(?i:x)",
);
const repeat = fc.constantFrom("", "", "*", "+", "?", "*?", "{2}", "{0,3}", "{2,}", "{1,7}", "{0}", "{x}");
const pattern = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.tuple(atom, repeat).map((parts) => parts.join("")),
    fc.tuple(tie("pattern"), repeat).map(([inner, times]) => `(${inner})${times}`),
    fc.tuple(tie("pattern"), tie("pattern")).map((parts) => parts.join("")),
    fc.tuple(tie("pattern"), tie("pattern")).map((parts) => parts.join("|")),
  ),
})).pattern;

describe("the size of a pattern", () => {
  test("is at least that of its program, for any pattern", () => {
    fc.assert(
      fc.property(
        pattern,
        withinLimits((text) => {
          let program: number;
          try {
            program = RE2JS.compile(text).programSize();
          } catch {
            return;
          }
          expect(patternSize(text)).toBeGreaterThanOrEqual(program);
        }),
      ),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", 60],
    ["^.{1,253}$", 600],
    ["^([a-z0-9]{1,63}\\.){1,10}$", 1500],
  ])("of %s is small", (text, max) => {
    expect(patternSize(text)).toBeLessThan(max);
    expect(compilePattern(text).size).toBeLessThan(max);
  });
});

test("a pattern with too large a program is rejected before it is compiled", () => {
  const before = process.cpuUsage();
  expect(() => compilePattern(`^${"(a{1,30}){1,30}".repeat(60)}$`)).toThrow(
    /program of \d+ instructions, more than 10000: use fewer or smaller repetitions/,
  );
  expect(process.cpuUsage(before).user).toBeLessThan(50_000);
  expect(() => compilePattern("a".repeat(5000))).toThrow("pattern is longer than 4096 characters");
});

test("cached patterns stay within their byte limit", () => {
  // Each pattern is as large as a pattern may be.
  for (let index = 0; index < 40; index++) compilePattern(`^${index}(a{1,30}){1,30}${"b{1,30}".repeat(70)}$`);
  expect(keptPatternBytes()).toBeLessThanOrEqual(48 * 1024 * 1024);
  expect(patternSize(`^(a{1,30}){1,30}${"b{1,30}".repeat(70)}$`)).toBeLessThan(patternSizeMax);
});

test("patterns match as in RE2, and find their matches in a string", () => {
  expect(compilePattern("^a+$").test("aaa")).toBe(true);
  expect(compilePattern("^a+$").test("aab")).toBe(false);
  expect(compilePattern("b").test("aab")).toBe(true);
  expect([...compilePattern("[0-9]+").matches("a12b3")]).toEqual([
    { text: "12", end: 3 },
    { text: "3", end: 5 },
  ]);
});
