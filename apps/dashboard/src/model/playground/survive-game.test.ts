import { parseTimestamp } from "@kintsugi/api";
import { expect, test } from "vitest";
import { readSeed, surviveFaults, surviveRequest, weekSeed } from "./survive-game.ts";

test("a seed always draws the same faults, and another seed draws other faults", () => {
  expect(surviveFaults(7)).toEqual(surviveFaults(7));
  expect(surviveFaults(7)).not.toEqual(surviveFaults(8));
});

test.each([0, 1, 7, 2961, 999_999])("the faults of seed %i become more frequent, and node-1 never fails", (seed) => {
  const faults = surviveFaults(seed);
  expect(faults.length).toBeGreaterThan(6);
  expect(faults.length).toBeLessThanOrEqual(16);
  expect(faults.every(({ node }) => node !== "node-1")).toBe(true);
  const half = 10 * 60_000;
  const early = faults.filter(({ atMs }) => atMs < half).length;
  expect(faults.length - early).toBeGreaterThan(early);
  // A machine that is off cannot fail a second time.
  const ends = (fault: (typeof faults)[number]) => fault.atMs + (fault.forMs ?? 0);
  const overlaps = faults.flatMap((fault, i) =>
    faults.slice(i + 1).filter((later) => later.node === fault.node && later.atMs <= ends(fault)),
  );
  expect(overlaps).toEqual([]);
});

test("a request of the game is within the limits of a request", () => {
  const { faults, settings } = surviveRequest(3);
  expect(faults.length).toBeLessThanOrEqual(20);
  expect(settings.length).toBeLessThanOrEqual(20);
});

test("a week has one seed, from Monday to Sunday", () => {
  const monday = parseTimestamp("2026-11-23T00:00:00Z");
  expect(weekSeed(monday)).toBe(weekSeed(monday + 7 * 86_400_000 - 1));
  expect(weekSeed(monday - 1)).toBe(weekSeed(monday) - 1);
});

test.each(["", "-1", "1e3", "1234567", "x"])("%j is not a seed", (text) => expect(readSeed(text)).toBeUndefined());
