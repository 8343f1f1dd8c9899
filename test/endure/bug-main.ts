// Plants one bug, which SEED chooses, and runs with it until a check of the simulation finds it.
import { plantedBugs } from "../simulation/sabotage/bugs/bugs.ts";
import { PlantedSimulator } from "../simulation/sabotage/planted-simulator.ts";

/** A check that needs more runs finds a bug only by luck. */
const runsMax = 10;

const seed = Number(process.argv[2] ?? 1);
const bug = plantedBugs[seed % plantedBugs.length];
if (bug === undefined) throw new Error("there are no planted bugs");
await using simulator = await PlantedSimulator.build(bug);
const seeds = new Set([bug.seed, ...Array.from({ length: runsMax }, (_, at) => seed + at)]);
const { reports, trouble } = await simulator.live([...seeds].map((each) => [bug.run, each] as const));
const check = reports.at(-1)?.failure?.check;
const isFound = trouble === undefined && check !== undefined && [bug.caughtBy, bug.orBy].includes(check);
console.log(`${isFound ? "found" : "NOT FOUND"}: ${bug.name}, by ${check ?? "nothing"} ${trouble ?? ""}`);
process.exitCode = isFound ? 0 : 1;
