/**
 * Prints what `measureGrowth` found, as JSON: `print-growth.ts FEW MANY`. A process of its own,
 * since steps are counted in code that is compiled after the counting began.
 */
import { startCounting } from "./count-steps.ts";

await startCounting();
const { measureGrowth } = await import("./measure-growth.ts");
const [few, many] = process.argv.slice(2).map(Number);
if (!few || !many) throw new Error("two numbers of nodes are needed, as in: print-growth.ts 20 200");
process.stdout.write(JSON.stringify(await measureGrowth(few, many)));
