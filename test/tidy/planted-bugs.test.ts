import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plantedBugs } from "../simulation/sabotage/bugs/bugs.ts";
import { plant } from "../simulation/sabotage/planted-bug.ts";

// The simulation plants each bug in a separate build, which takes minutes. A change that rewrites
// the text that a bug replaces is detected here immediately.

const root = join(import.meta.dirname, "../..");

test.each(plantedBugs)("the mistake can still be planted: $name", (bug) => {
  const source = readFileSync(join(root, bug.file), "utf8");
  expect(plant(bug, source)).not.toBe(source);
});
