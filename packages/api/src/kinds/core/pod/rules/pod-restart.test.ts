import { expect, test } from "vitest";
import { parsePodBackoff } from "./pod-restart.ts";

test.each([
  ["initial=1s,max=30s", { initialMs: 1000, maxMs: 30_000 }],
  ["max=30s", { maxMs: 30_000 }],
  [" initial=500ms ", { initialMs: 500 }],
])("the back-off %j is parsed", (text, backoff) => {
  expect(parsePodBackoff(text)).toEqual(backoff);
});

test.each([
  ["", 'must be like "initial=1s,max=30s"'],
  ["fast", 'must be like "initial=1s,max=30s"'],
  ["initial=1,max=30s", "is not a duration"],
  ["initial=0,max=30s", "initial must be more than 0"],
  ["initial=1m,max=30s", "initial must not be more than max"],
  ["max=48h", "max must be at most 24h"],
])("the back-off %j is rejected", (text, because) => {
  expect(() => parsePodBackoff(text)).toThrow(because);
});
