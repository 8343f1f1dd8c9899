import { inspect, parseArgs } from "node:util";
import { type Logger, type ProfileName, profiles, silentLogger } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import { faults } from "@kintsugi/simulation";
import type { DrawOptions } from "./draw-scenario.ts";
import type { ScenarioResult } from "./run-scenario.ts";
import { liveInWorkers, type SeedOutcome, unheard } from "./seed-workers.ts";
import { simulateSeed } from "./simulate-seed.ts";
import { againLine, seedLine, summaryLines } from "./seeds-report.ts";

interface SeedsOptions {
  seeds: readonly number[];
  workers: number;
  draw: DrawOptions;
  log: Logger;
}

const hourMs = 3_600_000;
/** More would only take memory and time from one another. */
const workersMax = 16;

/** Whole clusters under faults. A seed that fails names itself and what was broken, and the process exits with 1. */
export async function simulateSeeds(args: string[]): Promise<void> {
  const options = readOptions(args);
  const results: ScenarioResult[] = [];
  const failed: number[] = [];
  const startedMs = systemClock.monotonicMs();
  for await (const outcome of outcomes(options)) {
    if ("crash" in outcome) {
      failed.push(outcome.seed);
      complain(`FAILED seed ${outcome.seed}: ${outcome.crash}`);
      continue;
    }
    const { result } = outcome;
    results.push(result);
    if (result.failure === undefined) say(seedLine(result));
    else {
      failed.push(outcome.seed);
      complain(`${seedLine(result)}\n${againLine(result, options.draw)}`);
    }
  }
  for (const line of summaryLines(results, systemClock.monotonicMs() - startedMs)) say(line);
  if (failed.length > 0) complain(`${failed.length} seeds failed: ${failed.toSorted((a, b) => a - b).join(", ")}`);
  if (failed.length > 0 || results.every((result) => result.void !== undefined)) process.exitCode = 1;
}

async function* outcomes({ seeds, workers, draw, log }: SeedsOptions): AsyncGenerator<SeedOutcome, void> {
  if (workers > 1) return yield* liveInWorkers(seeds, draw, workers);
  let current = 0;
  process.on("unhandledRejection", (error) => {
    complain(`FAILED seed ${current}: ${unheard(error)}`);
    process.exit(1);
  });
  for (current of seeds) yield { seed: current, result: await simulateSeed({ seed: current, ...draw }, { log }) };
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
      workers: { type: "string", default: "1" },
      verbose: { type: "boolean", default: false },
    },
  });
  const { hours, nodes, profile, faults: names } = values;
  const first = wholeNumber("seed", values.seed);
  return {
    seeds: Array.from({ length: wholeNumber("seeds", values.seeds) }, (_, index) => first + index),
    workers: Math.min(workersMax, wholeNumber("workers", values.workers)),
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
