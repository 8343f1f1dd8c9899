import fc from "fast-check";
import { expect, test } from "vitest";
import { minimizeList } from "./minimize-list.ts";

test("exactly the causes of a failure remain, in their order", async () => {
  const numbers = Array.from({ length: 40 }, (_, index) => index);
  let runs = 0;
  const left = await minimizeList(numbers, (rest) => {
    runs++;
    return Promise.resolve(rest.includes(7) && rest.includes(31));
  });
  expect(left).toEqual([7, 31]);
  expect(runs).toBeLessThan(60);
});

test("a list without causes becomes empty", async () => {
  expect(await minimizeList([1, 2, 3], () => Promise.resolve(true))).toEqual([]);
});

test("any set of causes is found with a small number of runs", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 0, max: 29 }), { maxLength: 5 }), async (causes) => {
      let runs = 0;
      const items = Array.from({ length: 30 }, (_, index) => index);
      const left = await minimizeList(items, (rest) => {
        runs++;
        return Promise.resolve(causes.every((cause) => rest.includes(cause)));
      });
      expect([...left].sort((a, b) => a - b)).toEqual([...causes].sort((a, b) => a - b));
      expect(runs).toBeLessThan(300);
    }),
    { numRuns: 60, seed: 1 },
  );
});
