import { liveWithServers } from "@kintsugi/simulator/factory";
import { expect, test } from "vitest";

/** Lives of two minutes, of two to five servers. */
const lives = Array.from({ length: 20 }, (_, at) => ({ seed: 100 + at, servers: 2 + (at % 4) }));

test.each(lives)("life $seed of $servers servers breaks no promise", async ({ seed, servers }) => {
  const report = await liveWithServers({ seed, servers });
  expect(report.violations).toEqual([]);
  expect(report.void).toBeUndefined();
});
