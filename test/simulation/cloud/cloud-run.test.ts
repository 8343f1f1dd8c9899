import { expect, test } from "vitest";
import { cloudBugs, complaints } from "./cloud-bugs.ts";
import { CloudRun } from "./cloud-run.ts";

test("a run of a cluster in a cloud does not violate an invariant, and becomes idle", async () => {
  expect(await new CloudRun(1).live()).toEqual([]);
});

// The other bugs show only at the end of a run, which takes seconds; test/slow has them.
const quick = cloudBugs.filter(([, found]) => ["orders", "orphans", "taken"].includes(found));

test.each(quick)("a planted bug is detected: %s", async (...bug) => {
  expect(await complaints(bug)).toContain(bug[1]);
});
