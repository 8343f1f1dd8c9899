import { expect, test } from "vitest";
import { simulateSeed } from "@kintsugi/simulator/factory";

const minute = 60_000;

// A few short lives on every run of the tests; `npm run simulate` looks at as many and as long ones as there is time for.
// Seeds that once found something stay in the list: docs/bugs-found.md says what.
test.each([1, 7, 9])("a cluster under the faults of seed %i breaks no promise, and mends", async (seed) => {
  const result = await simulateSeed({ seed, nodes: 3, profile: "fast", durationMs: 6 * minute });
  expect(result.failure).toBeUndefined();
  expect(Object.keys(result.injected).length).toBeGreaterThan(4);
});

test("a seed names one life: faults included, it can be lived again", async () => {
  const live = () => simulateSeed({ seed: 21, nodes: 2, profile: "fast", durationMs: 2 * minute });
  const first = await live();
  expect(await live()).toEqual(first);
});
