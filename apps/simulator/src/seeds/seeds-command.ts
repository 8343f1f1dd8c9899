import { inspect, parseArgs } from "node:util";
import { type Logger, type ProfileName, profiles, silentLogger } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import { faults } from "@kintsugi/simulation";
import { type DrawOptions, drawScenario } from "./draw-scenario.ts";
import type { ScenarioResult } from "./run-scenario.ts";
import { keepDrawn, keepFailure, type KeepOptions } from "./keep-failure.ts";
import { liveInWorkers, type SeedOutcome, unheard } from "./seed-workers.ts";
import { simulateSeed } from "./simulate-seed.ts";
import { againLine, seedLine, summaryLines } from "./seeds-report.ts";

interface SeedsOptions {
  seeds: readonly number[];
  workers: number;
  draw: DrawOptions;
  log: Logger;
  keep: KeepOptions;
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
      const drawn = drawScenario(outcome.seed, options.draw);
      complain(`  kept as it was drawn: ${keepDrawn(drawn, outcome.crash, options.keep.directory)}`);
      continue;
    }
    const { result } = outcome;
    results.push(result);
    if (result.failure === undefined) say(seedLine(result));
    else {
      failed.push(outcome.seed);
      complain(`${seedLine(result)}\n${againLine(result, options.draw)}`);
      await keep(result, options.keep);
    }
  }
  for (const line of summaryLines(results, systemClock.monotonicMs() - startedMs)) say(line);
  if (failed.length > 0) complain(`${failed.length} seeds failed: ${failed.toSorted((a, b) => a - b).join(", ")}`);
  if (failed.length > 0 || results.every((result) => result.void !== undefined)) process.exitCode = 1;
}

/** Others may fail for the same reason: what they have in common shows best when each is as small as it gets. */
async function keep({ scenario, failure }: ScenarioResult, options: KeepOptions): Promise<void> {
  if (failure === undefined) return;
  const kept = await keepFailure({ scenario, failure }, options);
  const faults = `${kept.scenario.faults.length} of ${scenario.faults.length} faults`;
  complain(`  kept, with ${faults} after ${kept.runs} runs: ${kept.scenarioFile} ${kept.pageFile}`);
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
      failures: { type: "string", default: "simulation-failures" },
      shrink: { type: "string", default: "100" },
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
    keep: { directory: values.failures, runsMax: wholeNumber("shrink", values.shrink, 0) },
    log: values.verbose ? verbose() : silentLogger,
  };
}

function wholeNumber(name: string, text: string, min = 1): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < min)
    throw new Error(`--${name} ${text} is not a whole number from ${min} on`);
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
