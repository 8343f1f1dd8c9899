import { expect, test } from "vitest";
import { scaleFor, ticksOf, timeAt, xOf } from "./scale.ts";

const scale = scaleFor({ nowMs: 100_000, width: 1000, spanMs: 72_000 });

test("the present is at one position, with times on both sides", () => {
  expect([xOf(scale, 100_000), xOf(scale, 28_000), timeAt(scale, 720)]).toEqual([720, 0, 100_000]);
  expect(ticksOf(scale)).toEqual([30_000, 40_000, 50_000, 60_000, 70_000, 80_000, 90_000, 100_000, 110_000, 120_000]);
});
