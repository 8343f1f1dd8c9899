import { parseTimestamp } from "@kintsugi/api";
import { expect, test } from "vitest";
import { momentText, readInstant, readMoment, withoutMoment, writeMoment } from "./moment.ts";

test("a moment is restored from its address, even if the address has other parts", () => {
  const hash = writeMoment("#node-dead", momentText(83_214.4));
  expect(hash).toBe("#node-dead&t=83.214");
  expect(readMoment(hash)).toBe(83_214);
  expect(withoutMoment(hash)).toBe("node-dead");
  expect(writeMoment(hash, "5")).toBe("#node-dead&t=5");
  expect(writeMoment("", "0")).toBe("#t=0");
});

test.each(["", "#t=", "#t=-5", "#t=1e9", "#t=NaN", "#t=99999999999", "#t=5;alert(1)", "#t=999999999"])(
  "%j has no moment",
  (hash) => {
    expect(readMoment(hash)).toBeUndefined();
  },
);

test("an instant of a running cluster is written as UTC, and other text is not an instant", () => {
  expect(readInstant("#Pod/default/web&t=2026-11-29T00:06:08.000Z")).toBe(parseTimestamp("2026-11-29T00:06:08Z"));
  for (const hash of ["#t=2026-11-29", "#t=2026-99-99T00:00:00Z", "#t=5", "#Pod/default/t=web"])
    expect(readInstant(hash)).toBeUndefined();
});
