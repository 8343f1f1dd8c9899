import { expect, test } from "vitest";
import { formatDuration, lengthInWords, parseDurationMs } from "./duration.ts";

test("durations are parsed as in upstream", () => {
  expect(["0", "300ms", "40s", "1m30s", "1h", "1.5s"].map(parseDurationMs)).toEqual([
    0, 300, 40_000, 90_000, 3_600_000, 1500,
  ]);
});

test("durations are formatted as in upstream", () => {
  expect([0, 300, 40_000, 90_000, 3_600_000].map(formatDuration)).toEqual(["0s", "300ms", "40s", "1m30s", "1h"]);
});

test.each(["", "10", "-1s", "1d", "s", "1s 2s"])("%j is not a duration, and the error shows examples", (text) => {
  expect(() => parseDurationMs(text)).toThrow(/is not a duration; write for example/);
});

test("a length in words is rounded before it is divided into minutes", () => {
  expect([0, 59_400, 59_600, 119_700, 349_000].map(lengthInWords)).toEqual([
    "0 s",
    "59 s",
    "1 min",
    "2 min",
    "5 min 49 s",
  ]);
});
