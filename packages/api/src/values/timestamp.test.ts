import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  canonicalMicroTime,
  canonicalTimestamp,
  formatMicroTime,
  formatTimestamp,
  isTimestamp,
  parseTimestamp,
} from "./timestamp.ts";
import { withinLimits } from "../testing/request-limits.ts";

test("seconds are truncated, not rounded", () => {
  expect(formatTimestamp(1_767_323_045_999)).toBe("2026-01-02T03:04:05Z");
  expect(formatTimestamp(-1)).toBe("1969-12-31T23:59:59Z");
});

test("an instant after the year 9999 is written as the end of that year", () => {
  expect(formatTimestamp(1e18)).toBe("9999-12-31T23:59:59Z");
  expect(formatTimestamp(253_402_300_800_000)).toBe("9999-12-31T23:59:59Z");
});

test("micro times have six digits", () => {
  expect(formatMicroTime(1_767_323_045_678)).toBe("2026-01-02T03:04:05.678000Z");
  expect(formatMicroTime(1000.25)).toBe("1970-01-01T00:00:01.000250Z");
  expect(formatMicroTime(-0.5)).toBe("1969-12-31T23:59:59.999500Z");
});

describe("RFC 3339 is parsed strictly", () => {
  test.each([
    ["1970-01-01T00:00:00Z", 0],
    ["1970-01-01T01:00:00+01:00", 0],
    ["1969-12-31T23:30:00-00:30", 0],
    ["1970-01-01T00:00:01.5Z", 1500],
    ["2024-02-29T00:00:00Z", 1_709_164_800_000],
    ["0001-01-01T00:00:00Z", -62_135_596_800_000],
  ])("%s", (text, expected) => {
    expect(parseTimestamp(text)).toBe(expected);
  });

  test.each([
    "",
    "2026-01-02",
    "2026-01-02 03:04:05Z",
    "2026-01-02T03:04:05",
    "2026-13-02T03:04:05Z",
    "2026-02-30T03:04:05Z",
    "2023-02-29T03:04:05Z",
    "2026-01-02T24:00:00Z",
    "2026-01-02T03:60:05Z",
    "2026-01-02T03:04:05+24:00",
    "2026-1-2T3:4:5Z",
  ])("%j is not a timestamp", (text) => {
    expect(isTimestamp(text)).toBe(false);
    expect(() => parseTimestamp(text)).toThrow(RangeError);
  });
});

test("any instant is parsed back to the second", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }),
      withinLimits((seconds) => {
        expect(parseTimestamp(formatTimestamp(seconds * 1000))).toBe(seconds * 1000);
      }),
    ),
  );
});

test("other offsets and fractions are written in UTC", () => {
  expect(canonicalTimestamp("2026-01-02T04:04:05.999+01:00")).toBe("2026-01-02T03:04:05Z");
  expect(canonicalMicroTime("2026-01-02T03:04:05.123456789Z")).toBe("2026-01-02T03:04:05.123456Z");
  expect(canonicalMicroTime("2026-01-02T03:04:05+00:00")).toBe("2026-01-02T03:04:05.000000Z");
  expect(canonicalTimestamp("never")).toBeUndefined();
});
