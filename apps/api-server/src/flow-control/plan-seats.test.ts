import { expect, test } from "vitest";
import { parseRequestInfo } from "../request/request-info.ts";
import { estimateWidth } from "./estimate-width.ts";
import { planCurrentSeats, planNominalSeats } from "./plan-seats.ts";

test("seats are divided by shares, rounded up", () => {
  const levels = [
    { shares: 30, lendable: 33, borrowing: undefined },
    { shares: 10, lendable: 0, borrowing: 50 },
    { shares: 0, lendable: 0, borrowing: undefined },
  ];
  expect(planNominalSeats(100, levels)).toEqual([
    { nominal: 75, least: 50, most: 175 },
    { nominal: 25, least: 25, most: 38 },
    { nominal: 0, least: 0, most: 100 },
  ]);
});

test("a level that needs seats borrows what others may lend, up to its limit", () => {
  const levels = planNominalSeats(100, [
    { shares: 50, lendable: 50, borrowing: undefined },
    { shares: 25, lendable: 0, borrowing: 20 },
    { shares: 25, lendable: 100, borrowing: undefined },
  ]);
  expect(planCurrentSeats(levels, [200, 1, 0])).toEqual([75, 25, 1]);
  expect(planCurrentSeats(levels, [0, 200, 0])[1]).toBe(30);
  const [first = 0, , third = 0] = planCurrentSeats(levels, [200, 0, 200]);
  expect([first, third]).toEqual([37, 37]);
});

test.each([
  ["/api/v1/pods", 1000, 10],
  ["/api/v1/pods", 250, 3],
  ["/api/v1/pods?limit=100", 1000, 2],
  ["/api/v1/pods?limit=100&resourceVersion=0", 1000, 10],
  ["/api/v1/pods?limit=100&labelSelector=a", 300, 4],
  ["/api/v1/pods?limit=500&continue=x", 200, 4],
  ["/api/v1/pods", 0, 1],
  ["/api/v1/pods?watch=1", 1000, 1],
  ["/api/v1/namespaces/a/pods/b", 1000, 1],
])("GET %s of %i objects takes %i seats", (target, count, seats) => {
  expect(estimateWidth(parseRequestInfo("GET", target), { count, levelSeats: 100 })).toBe(seats);
});

test("no request occupies more than 15 % of its level", () => {
  expect(estimateWidth(parseRequestInfo("GET", "/api/v1/pods"), { count: 1000, levelSeats: 20 })).toBe(3);
});
