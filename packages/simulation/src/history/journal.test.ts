import { expect, test } from "vitest";
import { Journal, readJournal } from "./journal.ts";
import { legalHistory } from "./testing/legal-history.ts";
import { findOrder } from "./search.ts";

test("no two stamps are equal, even if time does not advance", () => {
  let nowMs = 5;
  const journal = new Journal({ nowMs: () => nowMs });
  const stamps = [journal.stamp(), journal.stamp(), journal.stamp()];
  nowMs = 6;
  stamps.push(journal.stamp());
  expect(new Set(stamps).size).toBe(4);
  expect(stamps).toEqual([...stamps].sort((one, other) => one - other));
  expect(stamps[2]).toBeLessThan(5.001);
  expect(stamps[3]).toBe(6);
});

test("written lines are read back unchanged, including unknown ends", () => {
  const history = legalHistory(3, 400);
  const lines: string[] = [];
  const journal = new Journal({ nowMs: () => 0, onLine: (line) => lines.push(line) });
  const { calls, lists, watches, commits = [], finals = [] } = history;
  for (const record of [...calls, ...lists, ...watches, ...commits, ...finals]) journal.add(record);
  expect(calls.some(({ endMs }) => endMs === Infinity)).toBe(true);
  expect(lines.every((line) => !line.includes("\n"))).toBe(true);
  expect(readJournal([...lines, ""])).toEqual(history);
  expect(journal.history()).toEqual(history);
});

test("a line that is not a record is rejected", () => {
  expect(() => readJournal(['{"kind":"sing"}'])).toThrow("is not a record of a journal");
});

test("a search that would take too long reports it", () => {
  const operations = Array.from({ length: 12 }, (_, index) => ({
    startMs: 0,
    endMs: 1,
    next: (state: number) => [state * 31 + index],
  }));
  const impossible = { startMs: 2, endMs: 3, next: () => [] };
  const options = { textOf: String, stepsMax: 1000 };
  expect(findOrder(0, [...operations, impossible], options)).toBe("undecided");
  expect(findOrder(0, operations, options)).toBe("ordered");
  expect(findOrder(0, [...operations.slice(0, 2), impossible], options)).toBe("impossible");
});
