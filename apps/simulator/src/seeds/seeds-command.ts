import { inspect, parseArgs } from "node:util";
import { type Logger, type ProfileName, profiles, silentLogger } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import { faults } from "@kintsugi/simulation";
import type { DrawOptions } from "./draw-scenario.ts";
import type { ScenarioResult } from "./run-scenario.ts";
import { simulateSeed } from "./simulate-seed.ts";
import { againLine, seedLine, summaryLines } from "./seeds-report.ts";

interface SeedsOptions {
  first: number;
  count: number;
  draw: DrawOptions;
  log: Logger;
}

const hourMs = 3_600_000;

/** Whole clusters under faults. A seed that fails names itself and what was broken, and the process exits with 1. */
export async function simulateSeeds(args: string[]): Promise<void> {
  const { first, count, draw, log } = readOptions(args);
  const results: ScenarioResult[] = [];
  let current = first;
  process.on("unhandledRejection", (error) => {
    complain(`FAILED seed ${current}: a promise was rejected and nobody listened: ${inspect(error)}`);
    process.exit(1);
  });
  const startedMs = systemClock.monotonicMs();
  for (; current < first + count; current++) {
    const result = await simulateSeed({ seed: current, ...draw }, { log });
    results.push(result);
    if (result.failure === undefined) say(seedLine(result));
    else complain(`${seedLine(result)}\n${againLine(result, draw)}`);
  }
  for (const line of summaryLines(results, systemClock.monotonicMs() - startedMs)) say(line);
  const failed = results.filter(({ failure }) => failure !== undefined);
  if (failed.length > 0)
    complain(`${failed.length} seeds failed: ${failed.map(({ scenario }) => scenario.seed).join(", ")}`);
  if (failed.length > 0 || results.every((result) => result.void !== undefined)) process.exitCode = 1;
}

function readOptions(args: string[]): SeedsOptions {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: "string", default: "1" },
      seeds: { type: "string", default: "20" },
      hours: { type: "string" },
      nodes: { type: "string" },
      profile: { type: "string" },
      faults: { type: "string" },
      verbose: { type: "boolean", default: false },
    },
  });
  const { hours, nodes, profile, faults: names } = values;
  return {
    first: wholeNumber("seed", values.seed),
    count: wholeNumber("seeds", values.seeds),
    draw: {
      nodes: nodes === undefined ? undefined : wholeNumber("nodes", nodes),
      profile: profile === undefined ? undefined : profileName(profile),
      durationMs: hours === undefined ? undefined : positive("hours", hours) * hourMs,
      faults: names === undefined ? undefined : names.split(",").map(faultName),
    },
    log: values.verbose ? verbose() : silentLogger,
  };
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} ${text} is not a whole number above 0`);
  return value;
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} ${text} is not a positive number`);
  return value;
}

function profileName(text: string): ProfileName {
  if (!Object.hasOwn(profiles, text)) throw new Error(`--profile ${text} is none of ${Object.keys(profiles).join()}`);
  return text as ProfileName;
}

function faultName(text: string): string {
  const known = faults.map(({ name }) => name);
  if (!known.includes(text)) throw new Error(`--faults: ${text} is none of ${known.join()}`);
  return text;
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
