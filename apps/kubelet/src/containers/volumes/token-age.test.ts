import { expect, test } from "vitest";
import { needsRefresh } from "./token-age.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const issuedAtMs = 1_000_000_000;

test.each([
  { age: "just issued", ageMs: 0, validMs: hourMs, jitterMs: 0, expected: false },
  { age: "at 79 % of its life", ageMs: 0.79 * hourMs, validMs: hourMs, jitterMs: 0, expected: false },
  { age: "at 81 % of its life", ageMs: 0.81 * hourMs, validMs: hourMs, jitterMs: 0, expected: true },
  {
    age: "just before 80 %, with jitter",
    ageMs: 0.8 * hourMs - 5000,
    validMs: hourMs,
    jitterMs: 10_000,
    expected: true,
  },
  {
    age: "a day old and valid for a year",
    ageMs: 24 * hourMs + 1,
    validMs: 8760 * hourMs,
    jitterMs: 0,
    expected: true,
  },
  {
    age: "23 hours old and valid for a year",
    ageMs: 23 * hourMs,
    validMs: 8760 * hourMs,
    jitterMs: 0,
    expected: false,
  },
  { age: "expired", ageMs: 2 * hourMs, validMs: hourMs, jitterMs: 0, expected: true },
  { age: "from the future", ageMs: -minuteMs, validMs: hourMs, jitterMs: 0, expected: true },
])("a token that is $age is replaced: $expected", ({ ageMs, validMs, jitterMs, expected }) => {
  const token = { token: "t", expiresAtMs: issuedAtMs + validMs, validMs };
  expect(needsRefresh(token, issuedAtMs + ageMs, jitterMs)).toBe(expected);
});
