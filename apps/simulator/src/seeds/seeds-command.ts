import { inspect, parseArgs } from "node:util";
import { type Logger, type ProfileName, profiles, silentLogger } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import { simulateSeed, type SimulationResult } from "./simulate-seed.ts";

interface SeedsOptions {
  first: number;
  count: number;
  nodes: number;
  hours: number;
  profile: ProfileName;
  log: Logger;
}

const hourMs = 3_600_000;

/** Whole clusters under faults. A seed that fails names itself and what was broken, and the process exits with 1. */
export async function simulateSeeds(args: string[]): Promise<void> {
  const options = readOptions(args);
  const results: SimulationResult[] = [];
  let current = options.first;
  process.on("unhandledRejection", (error) => {
    complain(`FAILED seed ${current}: a promise was rejected and nobody listened: ${String(error)}`);
    process.exit(1);
  });
  const startedMs = systemClock.monotonicMs();
  for (; current < options.first + options.count; current++) {
    const { nodes, profile, hours, log } = options;
    const result = await simulateSeed({ seed: current, nodes, profile, durationMs: hours * hourMs, log });
    results.push(result);
    report(result, options);
  }
  summarize(results, systemClock.monotonicMs() - startedMs);
}

function readOptions(args: string[]): SeedsOptions {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: "string", default: "1" },
      seeds: { type: "string", default: "5" },
      hours: { type: "string", default: "0.25" },
      nodes: { type: "string", default: "3" },
      profile: { type: "string", default: "fast" },
      verbose: { type: "boolean", default: false },
    },
  });
  const hours = Number(values.hours);
  if (!(hours > 0)) throw new Error(`--hours ${values.hours} is not a positive number`);
  if (!(values.profile in profiles))
    throw new Error(`--profile ${values.profile} is none of ${Object.keys(profiles).join()}`);
  return {
    first: wholeNumber("seed", values.seed),
    count: wholeNumber("seeds", values.seeds),
    nodes: wholeNumber("nodes", values.nodes),
    hours,
    profile: values.profile as ProfileName,
    log: values.verbose ? verbose() : silentLogger,
  };
}

function report(result: SimulationResult, { hours, nodes, profile }: SeedsOptions): void {
  const { seed, virtualMs, changes, checks, injected, digest, failure } = result;
  const faults = Object.values(injected).reduce((sum, each) => sum + each, 0);
  const figures = `${(virtualMs / hourMs).toFixed(2)} virtual hours, ${changes} changes, ${faults} faults, ${checks} checks`;
  if (failure === undefined) say(`seed ${seed}: ${figures}, trace ${digest.slice(0, 12)}`);
  else {
    complain(`FAILED seed ${seed}: ${failure}\n  ${figures}`);
    complain(
      `  again: npm run simulate -- --seed ${seed} --seeds 1 --hours ${hours} --nodes ${nodes} --profile ${profile}`,
    );
  }
}

function summarize(results: readonly SimulationResult[], tookMs: number): void {
  const tookHours = tookMs / hourMs;
  const virtualHours = results.reduce((sum, { virtualMs }) => sum + virtualMs, 0) / hourMs;
  const injected: Record<string, number> = {};
  for (const result of results) {
    for (const [name, times] of Object.entries(result.injected)) injected[name] = (injected[name] ?? 0) + times;
  }
  const checks = results.reduce((sum, each) => sum + each.checks, 0);
  const faults = Object.values(injected).reduce((sum, each) => sum + each, 0);
  say(
    `${results.length} seeds (${Math.round(results.length / tookHours)} per hour), ${virtualHours.toFixed(2)} virtual hours ` +
      `(${Math.round(virtualHours / tookHours)} times as fast as the clock), ${faults} faults injected, ${checks} invariants checked`,
  );
  for (const [name, times] of Object.entries(injected).sort(([a], [b]) => a.localeCompare(b)))
    say(`  ${times} × ${name}`);
  const failed = results.filter(({ failure }) => failure !== undefined);
  if (failed.length > 0) complain(`${failed.length} seeds failed: ${failed.map(({ seed }) => seed).join(", ")}`);
  if (faults === 0) complain("void: nothing was injected");
  if (failed.length > 0 || faults === 0) process.exitCode = 1;
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} ${text} is not a whole number above 0`);
  return value;
}

function verbose(): Logger {
  const log = (phrase: string, fields: object = {}) => say(`${phrase} ${inspect(fields)}`);
  return { debug: log, info: log, warn: log, error: log, child: verbose };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function complain(line: string): void {
  process.stderr.write(`${line}\n`);
}
