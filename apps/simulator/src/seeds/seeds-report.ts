import type { DrawOptions } from "./draw-scenario.ts";
import type { ScenarioResult } from "../run/run-scenario.ts";
import type { FaultCount } from "../run/fault-plan.ts";

const hourMs = 3_600_000;

/** Formats the result of one seed as a line. */
export function seedLine(result: ScenarioResult): string {
  const { scenario, virtualMs, changes, faults, checks, digest, failure } = result;
  const { seed, profile, mode, nodes } = scenario;
  const { planned, reached } = total(Object.values(faults));
  const figures =
    `${profile}, ${mode}, ${nodes.length} nodes, ${Math.round(virtualMs / 1000)} virtual seconds, ${changes} changes, ` +
    `${reached} of ${planned} faults, ${sum(Object.values(checks))} checks, trace ${digest.slice(0, 12)}`;
  if (failure !== undefined)
    return `FAILED seed ${seed}: ${failure.check} at revision ${failure.revision}, ${failure.atMs} ms: ${failure.message}\n  ${figures}`;
  return result.void === undefined ? `seed ${seed}: ${figures}` : `seed ${seed}: void, ${result.void}; ${figures}`;
}

/** Formats the command that repeats the run. */
export function againLine({ scenario }: ScenarioResult, draw: DrawOptions): string {
  const { nodes, profile, durationMs, faults, rebalance, claims } = draw;
  const given = { nodes, profile, hours: durationMs && durationMs / hourMs, faults: faults?.join() };
  const flags = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${value}`]));
  const switches = [...(rebalance ? ["--rebalance"] : []), ...(claims ? ["--claims"] : [])];
  return `  again: npm run simulate -- ${[`--seed ${scenario.seed} --seeds 1`, ...flags, ...switches].join(" ")}`;
}

/** Sums up the results of many runs. */
export function summaryLines(results: readonly ScenarioResult[], tookMs: number): string[] {
  const virtualHours = sum(results.map(({ virtualMs }) => virtualMs)) / hourMs;
  const voids = results.filter((result) => result.void !== undefined).length;
  const perHour = (count: number) => Math.round((count * hourMs) / tookMs);
  return [
    `${results.length} seeds in ${Math.round(tookMs / 1000)} s (${perHour(results.length)} per hour), ${voids} of them void; ` +
      `${virtualHours.toFixed(2)} virtual hours (${perHour(virtualHours)} times as fast as the clock)`,
    "faults that occurred, of the planned faults:",
    ...entries(
      merged(
        results.map(({ faults }) => faults),
        addCounts,
      ),
    ).map(([name, { planned, reached }]) => `  ${name} ${reached} of ${planned}`),
    "checks:",
    ...entries(
      merged(
        results.map(({ checks }) => checks),
        (a, b) => a + b,
      ),
    ).map(([name, times]) => `  ${name} ${times}`),
  ];
}

function merged<T>(maps: readonly Readonly<Record<string, T>>[], add: (a: T, b: T) => T): Record<string, T> {
  const all: Record<string, T> = {};
  for (const map of maps) {
    for (const [name, value] of Object.entries(map)) {
      const known = all[name];
      all[name] = known === undefined ? value : add(known, value);
    }
  }
  return all;
}

function entries<T>(map: Record<string, T>): [string, T][] {
  return Object.entries(map).sort(([a], [b]) => a.localeCompare(b));
}

function addCounts(a: FaultCount, b: FaultCount): FaultCount {
  return { planned: a.planned + b.planned, reached: a.reached + b.reached };
}

function total(counts: readonly FaultCount[]): FaultCount {
  return counts.reduce(addCounts, { planned: 0, reached: 0 });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
