import { parseArgs } from "node:util";
import { type ProfileName, profiles, silentLogger } from "@kintsugi/api";
import { simulateSeed, type SimulationResult } from "../support/simulation/simulate-seed.ts";

// npm run simulate -- --seed 7 --seeds 20 --hours 0.5 --nodes 3 --profile fast
//
// Whole clusters under faults, in virtual time. A seed that fails names itself and what was broken, and the run exits 1.

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "5" },
    hours: { type: "string", default: "0.25" },
    nodes: { type: "string", default: "3" },
    profile: { type: "string", default: "fast" },
    verbose: { type: "boolean", default: false },
  },
});

const hourMs = 3_600_000;
const first = wholeNumber("seed", values.seed);
const count = wholeNumber("seeds", values.seeds);
const nodes = wholeNumber("nodes", values.nodes);
const hours = Number(values.hours);
if (!(hours > 0)) throw new Error(`--hours ${values.hours} is not a positive number`);
if (!(values.profile in profiles))
  throw new Error(`--profile ${values.profile} is none of ${Object.keys(profiles).join()}`);
const profile = values.profile as ProfileName;

let current = first;
process.on("unhandledRejection", (error) => {
  console.error(`FAILED seed ${current}: a promise was rejected and nobody listened`, error);
  process.exit(1);
});

const results: SimulationResult[] = [];
const startedMs = performance.now();
for (let seed = first; seed < first + count; seed++) {
  current = seed;
  const log = values.verbose ? verbose() : silentLogger;
  const result = await simulateSeed({ seed, nodes, profile, durationMs: hours * hourMs, log });
  results.push(result);
  report(result);
}
summarize();

function report({ seed, virtualMs, changes, checks, injected, digest, failure }: SimulationResult): void {
  const faults = Object.values(injected).reduce((sum, each) => sum + each, 0);
  const figures = `${(virtualMs / hourMs).toFixed(2)} virtual hours, ${changes} changes, ${faults} faults, ${checks} checks`;
  if (failure === undefined) console.log(`seed ${seed}: ${figures}, trace ${digest.slice(0, 12)}`);
  else {
    console.error(`FAILED seed ${seed}: ${failure}\n  ${figures}`);
    console.error(
      `  again: npm run simulate -- --seed ${seed} --seeds 1 --hours ${hours} --nodes ${nodes} --profile ${profile}`,
    );
  }
}

function summarize(): void {
  const tookHours = (performance.now() - startedMs) / hourMs;
  const virtualHours = results.reduce((sum, { virtualMs }) => sum + virtualMs, 0) / hourMs;
  const injected: Record<string, number> = {};
  for (const result of results) {
    for (const [name, times] of Object.entries(result.injected)) injected[name] = (injected[name] ?? 0) + times;
  }
  const checks = results.reduce((sum, each) => sum + each.checks, 0);
  const faults = Object.values(injected).reduce((sum, each) => sum + each, 0);
  console.log(
    `${results.length} seeds (${Math.round(results.length / tookHours)} per hour), ${virtualHours.toFixed(2)} virtual hours ` +
      `(${Math.round(virtualHours / tookHours)} times as fast as the clock), ${faults} faults injected, ${checks} invariants checked`,
  );
  for (const [name, times] of Object.entries(injected).sort(([a], [b]) => a.localeCompare(b)))
    console.log(`  ${times} × ${name}`);
  const failed = results.filter(({ failure }) => failure !== undefined);
  if (failed.length > 0) console.error(`${failed.length} seeds failed: ${failed.map(({ seed }) => seed).join(", ")}`);
  if (faults === 0) console.error("void: nothing was injected");
  if (failed.length > 0 || faults === 0) process.exitCode = 1;
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} ${text} is not a whole number above 0`);
  return value;
}

function verbose(): typeof silentLogger {
  const say = (phrase: string, fields: object = {}) => console.log(phrase, fields);
  return { debug: say, info: say, warn: say, error: say, child: verbose };
}
