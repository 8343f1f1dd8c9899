import { expect, test } from "vitest";
import { expand } from "./expand.ts";

const variables = new Map([
  ["A", "1"],
  ["B", "$(A)"],
]);

test.each([
  ["$(A)", "1"],
  ["x$(A)y$(A)", "x1y1"],
  ["$(UNKNOWN)", "$(UNKNOWN)"],
  ["$$(A)", "$(A)"],
  ["$$$(A)", "$1"],
  ["$A ${A} $", "$A ${A} $"],
  ["$(B)", "$(A)"],
  ["$(", "$("],
])("%s becomes %s", (text, expanded) => {
  expect(expand(text, variables)).toBe(expanded);
});
