import { expect, test } from "vitest";
import { formatRange, isWithin, parseRange } from "./ranges.ts";

test.each([
  ["40s", "time", [40_000], [39_999, 40_001]],
  ["< 6m", "time", [0, 359_999], [360_000]],
  ["<=6m", "time", [0, 360_000], [360_001]],
  ["> 1m", "time", [60_001], [60_000]],
  [">= 1m", "time", [60_000, 1e9], [59_999]],
  ["30s..40s", "time", [30_000, 40_000], [29_999, 40_001]],
  ["2", "count", [2], [1, 3]],
  ["< 3", "count", [0, 2], [3]],
] as const)("%j accepts its range and nothing else", (text, unit, taken, refused) => {
  const range = parseRange(text, unit);
  expect(taken.filter((value) => !isWithin(value, range))).toEqual([]);
  expect(refused.filter((value) => isWithin(value, range))).toEqual([]);
  expect(parseRange(formatRange(range, unit), unit)).toEqual(range);
});

test.each([
  ["soon", "time", '"soon" is not a duration'],
  ["5m..1m", "time", "ends before it begins"],
  ["two", "count", '"two" is not a count'],
] as const)("%j is rejected", (text, unit, says) => {
  expect(() => parseRange(text, unit)).toThrow(says);
});
