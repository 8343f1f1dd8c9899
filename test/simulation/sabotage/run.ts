// Simulates the runs of each planted bug from seed 1 on until one fails, and prints the resulting
// table of README.md.
import { flag, FlagError, readFlags, readOrExplain } from "@kintsugi/daemon";
import { suggest } from "@kintsugi/yaml-text";
import { plantedBugs } from "./bugs/bugs.ts";
import type { PlantedBug } from "./planted-bug.ts";
import { PlantedSimulator } from "./planted-simulator.ts";
import { tableOf } from "./table.ts";

const program = {
  name: "npm run simulate:sabotage --",
  description:
    "Plants mistakes in the product, one after the other, and looks which check of the simulation finds each.",
};
const flags = {
  bug: flag.text({ help: "Only the bugs whose names have these words in them", fallback: "" }),
  seeds: flag.count({ help: "Runs until a bug counts as not found", min: 1, fallback: 10 }),
};

const { bugs, count } = readOrExplain("simulate:sabotage", () => {
  const { bug, seeds } = readFlags(program, flags, process.argv.slice(2));
  const wanted = plantedBugs.filter(({ name }) => name.includes(bug));
  const known = plantedBugs.map(({ name }) => name);
  if (wanted.length === 0) throw new FlagError(`--bug: no bug has "${bug}" in its name; ${suggest(bug, known)}`);
  return { bugs: wanted, count: seeds };
});
const seeds = Array.from({ length: count }, (_, index) => index + 1);
const found: PlantedBug[] = [];
for (const bug of bugs) {
  const startedMs = performance.now();
  await using simulator = await PlantedSimulator.build(bug);
  const { reports, trouble } = await simulator.live(seeds.map((seed) => [bug.run, seed]));
  const { seed = 0, failure } = reports.at(-1) ?? {};
  if (failure) found.push({ ...bug, seed, caughtBy: failure.check });
  const tookSeconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const what = failure ? `${failure.check}: ${failure.message.slice(0, 200)}` : "NOT FOUND";
  console.error(`${bug.name} (${bug.caughtBy}): seed ${seed}, ${what} (${tookSeconds} s) ${trouble ?? ""}`);
}
console.log(tableOf(found));
