import { runServers } from "@kintsugi/simulator/factory";
import { expect, test } from "vitest";

/** Runs of two minutes, of two to five servers. */
const runs = Array.from({ length: 20 }, (_, at) => ({ seed: 100 + at, servers: 2 + (at % 4) }));

test.each(runs)("run $seed of $servers servers does not violate an invariant", async ({ seed, servers }) => {
  const report = await runServers({ seed, servers });
  expect(report.violations).toEqual([]);
  expect(report.void).toBeUndefined();
});
