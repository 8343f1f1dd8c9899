import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  countCommon,
  firstMissing,
  formatIndexes,
  hasIndex,
  mergeIndexes,
  parseIndexes,
  withIndexes,
} from "./indexes.ts";

const completions = 60;
const someIndexes = fc.uniqueArray(fc.nat({ max: completions - 1 }));
const all = Array.from({ length: completions }, (_, index) => index);
const intervalsOf = (indexes: readonly number[]) => withIndexes([], indexes);
const membersOf = (intervals: ReturnType<typeof intervalsOf>) => all.filter((index) => hasIndex(intervals, index));

describe("indexes", () => {
  test.each([
    [[], ""],
    [[0], "0"],
    [[1, 0], "0,1"],
    [[5, 7, 6, 0, 2, 3], "0,2,3,5-7"],
  ])("%j are written as %j", (indexes, text) => {
    expect(formatIndexes(intervalsOf(indexes))).toBe(text);
  });

  test("are parsed as they were written, and are equal as sets", () => {
    fc.assert(
      fc.property(someIndexes, someIndexes, fc.nat({ max: 9 }), (left, right, count) => {
        const [a, b] = [intervalsOf(left), intervalsOf(right)];
        expect(parseIndexes(formatIndexes(a), completions)).toEqual(a);
        expect(membersOf(a)).toEqual(left.toSorted((x, y) => x - y));
        expect(membersOf(mergeIndexes(a, b))).toEqual(
          all.filter((index) => left.includes(index) || right.includes(index)),
        );
        expect(countCommon(a, b)).toBe(left.filter((index) => right.includes(index)).length);
        const missing = all.filter((index) => !left.includes(index)).slice(0, count);
        expect(firstMissing(a, { count, completions })).toEqual(missing);
      }),
    );
  });

  test.each([
    ["1-9", 4, [{ first: 1, last: 3 }]],
    ["5", 4, []],
    ["2,1", 4, []],
    ["1,x", 4, []],
  ])("%j of a Job with fewer indexes, or in no order, are parsed as %j", (text, size, intervals) => {
    expect(parseIndexes(text, size)).toEqual(intervals);
  });
});
