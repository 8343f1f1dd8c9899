import { expect, test } from "vitest";
import { matchesSelector } from "./selectors.ts";

test("an empty selector does not match any labels", () => {
  expect(matchesSelector(undefined, { app: "web" })).toBe(false);
  expect(matchesSelector({ app: "web" }, { app: "web", tier: "x" })).toBe(true);
  expect(matchesSelector({ app: "web" }, {})).toBe(false);
});
