import { expect, test } from "vitest";
import { formatHumanDuration } from "./human-duration.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

// Both sides of every boundary at which upstream changes units.
test.each([
  [-3 * second, "<invalid>"],
  [-2 * second, "<invalid>"],
  [-1999, "0s"],
  [-1 * second, "0s"],
  [-1, "0s"],
  [0, "0s"],
  [999, "0s"],
  [second, "1s"],
  [2 * minute - 1, "119s"],
  [2 * minute, "2m"],
  [2 * minute + second, "2m1s"],
  [10 * minute - 1, "9m59s"],
  [10 * minute, "10m"],
  [10 * minute + 59 * second, "10m"],
  [3 * hour - 1, "179m"],
  [3 * hour, "3h"],
  [3 * hour + minute, "3h1m"],
  [8 * hour - 1, "7h59m"],
  [8 * hour, "8h"],
  [8 * hour + 59 * minute, "8h"],
  [2 * day - 1, "47h"],
  [2 * day, "2d"],
  [2 * day + hour, "2d1h"],
  [8 * day - 1, "7d23h"],
  [8 * day, "8d"],
  [8 * day + 23 * hour, "8d"],
  [2 * year - 1, "729d"],
  [2 * year, "2y"],
  [2 * year + day, "2y1d"],
  [8 * year - 1, "7y364d"],
  [8 * year, "8y"],
  [8 * year + 364 * day, "8y"],
])("%d ms read as %s", (durationMs, text) => {
  expect(formatHumanDuration(durationMs)).toBe(text);
});
