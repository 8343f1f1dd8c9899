import type { Recovery } from "@kintsugi/story";
import { expect, test } from "vitest";
import { sharedSpan } from "./shared-span.ts";

const recovery = (atMs: number, isOver: boolean): Recovery => ({
  node: "node-1",
  isOver,
  replacements: [],
  steps: [
    { is: "silent", what: "node-1 is silent", atMs, tookMs: undefined, timerMs: 0 },
    { is: "ready", what: "web is Ready", atMs: atMs + 50_000, tookMs: 50_000, timerMs: 0 },
  ],
});

const graceMs = 50_000;
const run = { fromMs: 0, toMs: 600_000 };

test("a film shows the last finished recovery, from before the silence until after the repair", () => {
  const recoveries = [recovery(400_000, false), recovery(100_000, true)];
  expect(sharedSpan({ recoveries, graceMs, run, untilMs: 600_000 })).toEqual({
    fromMs: 42_000,
    toMs: 162_000,
    of: "the last recovery",
  });
});

test("without a recovery the picture shows the recording, or the last minutes of a running cluster", () => {
  expect(sharedSpan({ recoveries: [], graceMs, run, untilMs: 600_000 })).toEqual({ ...run, of: "the whole run" });
  expect(sharedSpan({ recoveries: [], graceMs, run: undefined, untilMs: 600_000 })).toEqual({
    fromMs: 300_000,
    toMs: 600_000,
    of: "the last 5 minutes",
  });
});

test("a film never shows a future that is to be predicted", () => {
  const recoveries = [recovery(100_000, true)];
  expect(sharedSpan({ recoveries, graceMs, run, untilMs: 120_000 }).toMs).toBe(120_000);
  expect(sharedSpan({ recoveries, graceMs, run, untilMs: 90_000 })).toEqual({
    fromMs: 0,
    toMs: 90_000,
    of: "the run so far",
  });
});
