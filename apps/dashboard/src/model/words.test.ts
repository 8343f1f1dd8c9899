import { expect, test } from "vitest";
import { clockText, lengthText } from "./words.ts";

const startMs = 1_767_225_600_000;

test.each([
  [400, "0.4 s"],
  [12_300, "12 s"],
  [200_000, "3 min 20 s"],
  [300_000, "5 min"],
  [7_500_000, "2 h 5 min"],
  [-5, "0 s"],
  [30, "under 0.1 s"],
])("%d ms are %s", (ms, text) => expect(lengthText(ms)).toBe(text));

test("moments are written in UTC", () => expect(clockText(startMs + 3_723_000)).toBe("01:02:03"));
