import { inspect } from "node:util";
import { type Logger, simulatedNodesMax, profileNames, silentLogger } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import { flag, FlagError, readFlags, readOrExplain } from "@kintsugi/daemon";
import { faults } from "@kintsugi/simulation";
import { suggest } from "@kintsugi/yaml-text";
import { type DrawOptions, drawScenario } from "./draw-scenario.ts";
import type { ScenarioResult } from "../run/run-scenario.ts";
import { keepDrawn, keepFailure, type KeepOptions } from "./keep-failure.ts";
import { runInWorkers, type SeedOutcome, unheard } from "./seed-workers.ts";
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
/** More processes would only compete for memory and time. */
const workersMax = 16;
/** 36 s; in this time a cluster has hardly started. */
const hoursMin = 0.01;

const program = {
  name: "npm run simulate --",
  description:
    "Simulates whole clusters with random faults in virtual time. A seed that fails is shrunk, stored, and can be run again.",
};

const flags = {
  seed: flag.count({ help: "First seed", min: 1, fallback: 1 }),
  seeds: flag.count({ help: "Number of seeds", min: 1, fallback: 20 }),
  hours: flag.number({ help: "Virtual hours of each seed (default: random)", min: hoursMin }),
  nodes: flag.count({ help: "Nodes of each seed (default: random)", min: 1, max: simulatedNodesMax }),
  profile: flag.choice(profileNames, { help: "Profile of the timers (default: random)" }),
  faults: flag.list({ help: `Only these faults: ${faults.map(({ name }) => name).join(", ")}` }),
  rebalance: flag.switch({ help: "Run every seed with a controller-manager that rebalances" }),
  claims: flag.switch({ help: "Run every seed with a StatefulSet whose pods have disks" }),
  workers: flag.count({ help: "Number of worker processes", min: 1, max: workersMax, fallback: 1 }),
  failures: flag.text({ help: "Directory for the reports of failures", fallback: "simulation-failures" }),
  shrink: flag.count({ help: "Largest number of runs that shrink a failure", fallback: 100 }),
  scenario: flag.text({ help: "Run a scenario instead of seeds, with the options of `kintsugi simulate`" }),
  verbose: flag.switch({ help: "Least severe level that every service logs" }),
};

/**
 * Simulates whole clusters under faults. A seed that fails is printed with the violated invariant,
 * and the process exits with 1.
 */
export async function simulateSeeds(args: string[]): Promise<void> {
  const options = readOrExplain("simulate", () => readOptions(args));
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

/**
 * Other runs may fail for the same reason. The common cause is easiest to see when each failure is
 * shrunk.
 */
async function keep({ scenario, failure }: ScenarioResult, options: KeepOptions): Promise<void> {
  if (failure === undefined) return;
  const kept = await keepFailure({ scenario, failure }, options);
  const faults = `${kept.scenario.faults.length} of ${scenario.faults.length} faults`;
  complain(`  kept, with ${faults} after ${kept.runs} runs: ${kept.scenarioFile} ${kept.pageFile}`);
}

async function* outcomes({ seeds, workers, draw, log }: SeedsOptions): AsyncGenerator<SeedOutcome, void> {
  if (workers > 1) return yield* runInWorkers(seeds, draw, workers);
  let current = 0;
  process.on("unhandledRejection", (error) => {
    complain(`FAILED seed ${current}: ${unheard(error)}`);
    process.exit(1);
  });
  for (current of seeds) yield { seed: current, result: await simulateSeed({ seed: current, ...draw }, { log }) };
}

function readOptions(args: string[]): SeedsOptions {
  const { seed, seeds, workers, hours, nodes, profile, ...values } = readFlags(program, flags, args);
  return {
    seeds: Array.from({ length: seeds }, (_, index) => seed + index),
    workers,
    draw: {
      nodes,
      profile,
      durationMs: hours === undefined ? undefined : hours * hourMs,
      faults: values.faults?.map(faultName),
      rebalance: values.rebalance || undefined,
      claims: values.claims || undefined,
    },
    keep: { directory: values.failures, runsMax: values.shrink },
    log: values.verbose ? verbose() : silentLogger,
  };
}

function faultName(text: string): string {
  const known = faults.map(({ name }) => name);
  if (!known.includes(text)) throw new FlagError(`--faults: there is no fault "${text}"; ${suggest(text, known)}`);
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
