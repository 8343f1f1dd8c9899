import { expect, test } from "vitest";
import { cloudBugs, complaints } from "../simulation/cloud/cloud-bugs.ts";
import { CloudRun } from "../simulation/cloud/cloud-run.ts";

const seeds = Array.from({ length: 12 }, (_, index) => index + 1);

test.each(seeds)("run %i of a cluster in a cloud does not violate an invariant, and becomes idle", async (seed) => {
  expect(await new CloudRun(seed).live()).toEqual([]);
});

test.each(cloudBugs)("a planted bug is detected: %s", async (...bug) => {
  expect(await complaints(bug)).toContain(bug[1]);
});
