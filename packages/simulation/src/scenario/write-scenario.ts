import { formatDuration } from "@kintsugi/api";
import { stringify } from "yaml";
import { findFault } from "../faults/faults.ts";
import { type Expectation, measureNames, measures } from "./expectation.ts";
import type { ScenarioFile } from "./parse-scenario.ts";
import { formatRange } from "./ranges.ts";
import type { PlannedFault, ScenarioNode, ScenarioWorkload, ScenarioWorld } from "./scenario.ts";
import { flagsOfTimers, type TimerFlag } from "./timer-flags.ts";

interface WriteOptions {
  readonly timerFlags: readonly TimerFlag[];
  /** A comment above the scenario that names its origin. */
  readonly comment?: string;
}

/** A scenario as a file that `parseScenario` parses to an equal scenario. */
export function writeScenario(
  { description, scenario, expect }: ScenarioFile,
  { timerFlags, comment = "" }: WriteOptions,
): string {
  const { name, seed, profile, timers, mode, nodes, workloads, faults, durationMs, world } = scenario;
  const file = {
    name,
    ...(description === "" ? {} : { description }),
    seed,
    profile,
    ...(timers === undefined ? {} : { timers: flagsOfTimers(timerFlags, timers) }),
    mode,
    world: writeWorld(world),
    nodes: writeNodes(nodes),
    workloads: workloads.map(writeWorkload),
    faults: faults.map(writeFault),
    run: formatDuration(durationMs),
    ...(expect.length === 0 ? {} : { expect: expect.map(writeExpectation) }),
  };
  const head = comment.split("\n").map((line) => (line === "" ? "" : `# ${line}\n`));
  return `${head.join("")}${stringify(file, { lineWidth: 120 })}`;
}

function writeWorld({
  bus,
  leaderElection,
  rebalance,
  servers,
  quota,
  latencyMaxMs,
  operationsPerSecond,
  kept,
}: ScenarioWorld): object {
  return {
    bus,
    "leader-election": leaderElection,
    ...(rebalance ? { rebalance } : {}),
    ...(servers === undefined ? {} : { servers }),
    ...(quota === undefined ? {} : { quota }),
    latency: formatDuration(latencyMaxMs),
    ...(operationsPerSecond === undefined ? {} : { "operations-per-second": operationsPerSecond }),
    ...(kept === undefined ? {} : { kept: { events: kept.eventsMin, duration: formatDuration(kept.durationMs) } }),
  };
}

/** Writes only the number of nodes if that is sufficient. */
function writeNodes(nodes: readonly ScenarioNode[]): unknown {
  const usual = nodes.every(({ name, zone }, index) => name === `node-${index + 1}` && zone === undefined);
  return usual ? nodes.length : nodes;
}

function writeWorkload(workload: ScenarioWorkload): object {
  const { minAvailable, tolerationSeconds, startingDeadlineSeconds, liveness, ...same } = workload;
  return {
    ...same,
    ...(minAvailable === undefined ? {} : { budget: { minAvailable } }),
    ...(tolerationSeconds === undefined ? {} : { "toleration-seconds": tolerationSeconds }),
    ...(startingDeadlineSeconds === undefined ? {} : { "starting-deadline-seconds": startingDeadlineSeconds }),
    ...(liveness === undefined
      ? {}
      : {
          liveness: {
            exec: liveness.exec,
            period: formatDuration(liveness.periodMs),
            "failure-threshold": liveness.failureThreshold,
          },
        }),
  };
}

function writeFault({ fault, atMs, forMs, stays, target, with: settings }: PlannedFault): object {
  const kind = findFault(fault)?.target ?? "none";
  return {
    at: formatDuration(atMs),
    fault,
    ...(target === undefined ? {} : { [kind]: target }),
    ...(forMs === undefined ? {} : { for: formatDuration(forMs) }),
    ...(stays === undefined ? {} : { stays }),
    ...(settings === undefined ? {} : { with: settings }),
  };
}

function writeExpectation(expectation: Expectation): object {
  const { workload, step, since, at, times } = expectation;
  const measured = measureNames.flatMap((name) => {
    const range = expectation[name];
    return range === undefined ? [] : [[name, formatRange(range, measures[name].unit)]];
  });
  return {
    ...(workload === undefined ? {} : { workload }),
    ...Object.fromEntries(measured),
    ...(step === undefined ? {} : { step }),
    ...(since === undefined ? {} : { since }),
    ...(at === undefined ? {} : { at: formatRange(at, "time") }),
    ...(times === undefined ? {} : { times: formatRange(times, "count") }),
  };
}
