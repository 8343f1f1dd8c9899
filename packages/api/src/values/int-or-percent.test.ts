import { expect, test } from "vitest";
import { scaledCount } from "./int-or-percent.ts";

test.each([
  [3, 10, "up", 3],
  ["25%", 10, "up", 3],
  ["25%", 10, "down", 2],
  ["100%", 7, "down", 7],
  ["150%", 2, "up", 3],
  ["0%", 10, "up", 0],
  ["25%", 0, "up", 0],
  ["x", 10, "up", 0],
] as const)("%s of %d, rounded %s, is %d", (value, total, rounding, count) => {
  expect(scaledCount(value, total, rounding)).toBe(count);
});
