/**
 * Prints the result of `measureGrowth` as JSON: `print-growth.ts FEW MANY`. It is a separate
 * process because steps are counted only in code that is compiled after the counting began.
 */
import { startCounting } from "./count-steps.ts";

await startCounting();
const { measureGrowth } = await import("./measure-growth.ts");
const [few, many] = process.argv.slice(2).map(Number);
if (!few || !many) throw new Error("two numbers of nodes are needed, as in: print-growth.ts 20 200");
process.stdout.write(JSON.stringify(await measureGrowth(few, many)));
