import { runServers } from "@kintsugi/simulator/factory";
import { expect, test } from "vitest";

// Real API servers share a log in virtual time. The planted bugs of sabotage/bugs/servers.ts show
// that each check works; more runs are in test/slow.

test.each([
  [1, 3],
  [2, 2],
])("run %i of %i servers does not violate an invariant", { timeout: 120_000 }, async (seed, servers) => {
  const report = await runServers({ seed, servers, durationMs: 45_000 });
  expect(report.violations).toEqual([]);
  expect(report.void).toBeUndefined();
  for (const [check, count] of Object.entries(report.checks)) expect([check, count > 20]).toEqual([check, true]);
});

test("the same seed is the same run", { timeout: 120_000 }, async () => {
  const [one, other] = [
    await runServers({ seed: 5, durationMs: 15_000 }),
    await runServers({ seed: 5, durationMs: 15_000 }),
  ];
  expect(other).toEqual(one);
});
