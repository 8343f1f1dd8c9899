import { expect, test } from "vitest";
import { timerTextX } from "./paint-timer.ts";

test("a timer's text is in its frame, or behind a short frame", () => {
  expect(timerTextX({ nowX: 250, endX: 340, needed: 80, freeX: 120 })).toBe(256);
  expect(timerTextX({ nowX: 250, endX: 280, needed: 80, freeX: 120 })).toBe(286);
});

test("a timer's text never covers the node's name, which is to the right of the present time at the beginning of a run", () => {
  expect(timerTextX({ nowX: 10, endX: 340, needed: 80, freeX: 120 })).toBe(126);
  expect(timerTextX({ nowX: 10, endX: 180, needed: 80, freeX: 120 })).toBe(186);
  expect(timerTextX({ nowX: 10, endX: 60, needed: 80, freeX: 120 })).toBe(126);
});
