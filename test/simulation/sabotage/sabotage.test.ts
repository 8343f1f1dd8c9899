import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runsAllSamples, sampleOf } from "../../support/samples.ts";
import { plantedBugs } from "./bugs/bugs.ts";
import { plant } from "./planted-bug.ts";
import { PlantedSimulator } from "./planted-simulator.ts";
import { tableOf } from "./table.ts";

/** Several processes share the machine with all other tests. */
const timeout = 600_000;

/** The first bug that each check finds. */
const firstOfEachCheck = plantedBugs.filter(
  ({ caughtBy }, at) => plantedBugs.findIndex((bug) => bug.caughtBy === caughtBy) === at,
);

/**
 * One check of twelve, with its first bug, which shows that bugs can be planted and checks find
 * them. All bugs take a quarter of an hour; a change of a check or of the product's rules is tested
 * with `KINTSUGI_SAMPLES=all`.
 */
const triedBugs = runsAllSamples ? plantedBugs : sampleOf(firstOfEachCheck, 12);

/** A check that needs more seeds finds the bug by luck. */
const seedsMax = 10;

describe.concurrent("a possible mistake is detected", () => {
  // This test is the first because it takes longest.
  test("and without it the same runs have no violation", { timeout }, async () => {
    const runs = new Map(triedBugs.map(({ run, seed }) => [`${run}:${seed}`, [run, seed] as const]));
    await using simulator = await PlantedSimulator.build();
    const { reports, trouble } = await simulator.live([...runs.values()]);
    expect(trouble).toBeUndefined();
    expect(reports.filter((report) => report.failure !== undefined || report.void !== undefined)).toEqual([]);
    expect(reports).toHaveLength(runs.size);
  });

  test.for(triedBugs)("$caughtBy: $name", { timeout }, async (bug, { task }) => {
    await using simulator = await PlantedSimulator.build(bug);
    // The seed that is known to find the bug is first, so the other seeds are simulated only when
    // the random source has changed.
    const seeds = new Set([bug.seed, ...Array.from({ length: seedsMax }, (_, index) => index + 1)]);
    const { reports, trouble } = await simulator.live([...seeds].map((seed) => [bug.run, seed]));
    expect(trouble).toBeUndefined();
    expect([bug.caughtBy, bug.orBy]).toContain(reports.at(-1)?.failure?.check ?? "nothing");
    task.meta.survived = { bugs: 1 };
  });
});

describe("a bug that can no longer be planted reports it", () => {
  const bug = {
    name: "b",
    file: "f.ts",
    find: "two",
    replace: "$&",
    caughtBy: "writes-are-durable",
    run: "there are no faults",
    seed: 1,
  } as const;

  test.each([
    ["missing", "one", 0],
    ["there twice", "two two", 2],
  ])("if the replaced text is %s", (_, source, times) => {
    expect(() => plant(bug, source)).toThrow(`can no longer be planted: "b": f.ts has "two" ${times} times`);
  });

  test("and a plantable bug is planted unchanged", () => {
    expect(plant(bug, "one two three")).toBe("one $& three");
  });

  test("if the simulator does not have its file", { timeout }, async () => {
    const elsewhere = { ...bug, file: "tools/bundle.mjs", find: "// Bundles an app's programs" };
    await expect(PlantedSimulator.build(elsewhere)).rejects.toThrow("can no longer be planted");
  });
});

test("README.md has the table of the present bugs", () => {
  const readme = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
  expect(readme).toContain(tableOf(plantedBugs));
});
