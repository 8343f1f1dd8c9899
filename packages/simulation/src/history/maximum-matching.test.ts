import fc from "fast-check";
import { expect, test } from "vitest";
import { leftAlone } from "./maximum-matching.ts";

const pairs = (text: string) => (one: string, other: string) => text.split(" ").includes(one + other);

test("reassigns a pair for an item with no other choice", () => {
  expect(leftAlone(["a", "b"], ["x", "y"], pairs("ax ay bx"))).toEqual([]);
  expect(leftAlone(["a", "b", "c"], ["x", "y", "z"], pairs("ax ay bx bz cx"))).toEqual([]);
});

test("returns the unmatched items, which are the last in order", () => {
  expect(leftAlone(["a", "b", "c"], ["x", "y"], pairs("ax bx cx"))).toEqual(["b", "c"]);
  expect(leftAlone(["a"], [], () => true)).toEqual(["a"]);
});

test("finds as many pairs as the best of all orders", () => {
  const small = fc.integer({ min: 1, max: 4 });
  fc.assert(
    fc.property(small, small, fc.array(fc.boolean(), { minLength: 16, maxLength: 16 }), (rows, columns, bits) => {
      const ones = Array.from({ length: rows }, (_, index) => index);
      const others = Array.from({ length: columns }, (_, index) => index);
      const fits = (one: number, other: number) => bits[one * 4 + other] ?? false;
      const most = (from: number, free: readonly number[]): number =>
        from === rows
          ? 0
          : Math.max(
              most(from + 1, free),
              ...free
                .filter((each) => fits(from, each))
                .map(
                  (each) =>
                    1 +
                    most(
                      from + 1,
                      free.filter((x) => x !== each),
                    ),
                ),
            );
      expect(rows - leftAlone(ones, others, fits).length).toBe(most(0, others));
    }),
  );
});
