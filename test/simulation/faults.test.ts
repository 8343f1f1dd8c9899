import { expect, test } from "vitest";
import { simulateSeed } from "@kintsugi/simulator/factory";

// Some lives on every run of the tests; `npm run simulate` looks at as many as there is time for.
test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
  "seed %i: nothing that may never be is, and the cluster mends",
  async (seed) => {
    const { failure, changes } = await simulateSeed({ seed });
    expect(failure).toBeUndefined();
    expect(changes).toBeGreaterThan(100);
  },
);

test("a seed names one life: faults included, it can be lived again", async () => {
  const first = await simulateSeed({ seed: 21 });
  expect(first.void).toBeUndefined();
  expect(await simulateSeed({ seed: 21 })).toEqual(first);
});
