// Lives the lives of each planted bug from seed 1 on until one fails, and prints the table of README.md as it then is:
//
//   npm run simulate:sabotage -- [--bug WORDS] [--seeds N]
import { parseArgs } from "node:util";
import { plantedBugs } from "./bugs/bugs.ts";
import type { PlantedBug } from "./planted-bug.ts";
import { PlantedSimulator } from "./planted-simulator.ts";
import { tableOf } from "./table.ts";

const { values } = parseArgs({
  options: { bug: { type: "string", default: "" }, seeds: { type: "string", default: "10" } },
});
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => index + 1);
const found: PlantedBug[] = [];
for (const bug of plantedBugs.filter(({ name }) => name.includes(values.bug))) {
  const startedMs = performance.now();
  await using simulator = await PlantedSimulator.build(bug);
  const { reports, trouble } = await simulator.live(seeds.map((seed) => [bug.life, seed]));
  const { seed = 0, failure } = reports.at(-1) ?? {};
  if (failure) found.push({ ...bug, seed, caughtBy: failure.check });
  const tookSeconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const what = failure ? `${failure.check}: ${failure.message.slice(0, 200)}` : "NOT FOUND";
  console.error(`${bug.name} (${bug.caughtBy}): seed ${seed}, ${what} (${tookSeconds} s) ${trouble ?? ""}`);
}
console.log(tableOf(found));
