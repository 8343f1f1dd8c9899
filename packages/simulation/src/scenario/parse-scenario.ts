import { parseYaml } from "@kintsugi/yaml-text";
import type { Fault } from "../faults/fault.ts";
import { checkFaults, checkReferences, type FaultSurroundings } from "./check-references.ts";
import type { Expectation } from "./expectation.ts";
import { faultsFileSchema, type ScenarioFileInput, scenarioFileSchema } from "./file-schema.ts";
import type { PlannedFault, Scenario, ScenarioNode, ScenarioWorkload, ScenarioWorld } from "./scenario.ts";
import { type TimerFlag, timersOfFlags } from "./timer-flags.ts";

/** A scenario in a file, with its purpose and its expected results. */
export interface ScenarioFile {
  readonly description: string;
  readonly scenario: Scenario;
  readonly expect: readonly Expectation[];
}

const defaultRunMs = 15 * 60_000;
const defaultNodes: readonly ScenarioNode[] = ["node-1", "node-2", "node-3"].map((name) => ({ name }));

interface ScenarioText {
  /** The name of the text in messages: its file. */
  readonly source: string;
  /** The timers that the text may set. */
  readonly timerFlags: readonly TimerFlag[];
}

/**
 * Reads a scenario file.
 * @throws InvalidFile with all its faults, each with its line, its column and the nearest known
 * word.
 */
export function parseScenario(text: string, { source, timerFlags }: ScenarioText): ScenarioFile {
  const parsed = parseYaml(text, { schema: scenarioFileSchema(timerFlags), source, whole: "scenario" });
  const file = toScenarioFile(parsed.value, { source, timerFlags });
  const wrong = checkReferences(parsed.value, file.scenario);
  if (wrong.length > 0) throw parsed.invalid(wrong);
  return file;
}

/** The faults of a scenario for a cluster that has nodes and workloads of its own. */
export interface FaultsFile {
  readonly name: string;
  readonly description: string;
  readonly faults: readonly PlannedFault[];
  readonly durationMs: number;
}

interface FaultsText extends Omit<FaultSurroundings, "durationMs"> {
  readonly source: string;
  /** The faults that can happen to the cluster. */
  readonly known: readonly Fault[];
}

/**
 * Parses a scenario file that only has faults.
 * @throws InvalidFile with all its faults.
 */
export function parseFaults(text: string, { source, known, nodes, workloads }: FaultsText): FaultsFile {
  const parsed = parseYaml(text, { schema: faultsFileSchema, source, whole: "scenario" });
  const { name, description = "", faults, run: durationMs = defaultRunMs } = parsed.value;
  const wrong = checkFaults(faults, { nodes, workloads, durationMs }, known);
  if (wrong.length > 0) throw parsed.invalid(wrong);
  return {
    name: name ?? nameOfFile(source),
    description: description.trim(),
    faults: faults.map(toPlannedFault),
    durationMs,
  };
}

function toScenarioFile(input: ScenarioFileInput, { source, timerFlags }: ScenarioText): ScenarioFile {
  return {
    description: (input.description ?? "").trim(),
    scenario: {
      name: input.name ?? nameOfFile(source),
      seed: input.seed ?? 1,
      profile: input.profile ?? "default",
      ...(input.timers ? { timers: timersOfFlags(timerFlags, input.timers) } : {}),
      mode: input.mode ?? "safety",
      nodes: (input.nodes ?? defaultNodes).map(({ name, zone }) => ({ name, ...(zone === undefined ? {} : { zone }) })),
      workloads: input.workloads.map(toWorkload),
      faults: (input.faults ?? []).map(toPlannedFault),
      durationMs: input.run ?? defaultRunMs,
      world: toWorld(input.world ?? {}),
    },
    expect: (input.expect ?? []) as readonly Expectation[],
  };
}

function toWorld(world: NonNullable<ScenarioFileInput["world"]>): ScenarioWorld {
  const operationsPerSecond = world["operations-per-second"];
  const { kept } = world;
  return {
    bus: world.bus ?? (world.servers ?? 1) === 1,
    leaderElection: world["leader-election"] ?? true,
    ...(world.rebalance ? { rebalance: true as const } : {}),
    ...(world.servers === undefined || world.servers === 1 ? {} : { servers: world.servers }),
    ...(world.quota === undefined ? {} : { quota: present(world.quota) }),
    latencyMaxMs: world.latency ?? 0,
    ...(operationsPerSecond === undefined ? {} : { operationsPerSecond }),
    ...(kept === undefined ? {} : { kept: { eventsMin: kept.events, durationMs: kept.duration } }),
  };
}

function toWorkload(input: ScenarioFileInput["workloads"][number]): ScenarioWorkload {
  const { kind, budget, liveness, autoscale, ...others } = input;
  const {
    "toleration-seconds": tolerationSeconds,
    "starting-deadline-seconds": startingDeadlineSeconds,
    ...same
  } = others;
  return present({
    ...same,
    kind: kind === "ReplicaSet" ? undefined : kind,
    minAvailable: budget?.minAvailable,
    autoscale: autoscale && present(autoscale),
    tolerationSeconds,
    startingDeadlineSeconds,
    liveness: liveness && {
      exec: liveness.exec,
      periodMs: liveness.period ?? 10_000,
      failureThreshold: liveness["failure-threshold"] ?? 3,
    },
  });
}

type Present<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

/** Leaves out undefined fields, so that two scenarios are equal if their fields are equal. */
function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}

function toPlannedFault(input: NonNullable<ScenarioFileInput["faults"]>[number]): PlannedFault {
  const { node, zone, service, server, process, workload, stays } = input;
  const target = node ?? zone ?? service ?? server ?? process ?? workload;
  return {
    fault: input.fault,
    atMs: input.at,
    ...(input.for === undefined ? {} : { forMs: input.for }),
    ...(stays === undefined ? {} : { stays }),
    ...(target === undefined ? {} : { target }),
    ...(input.with === undefined ? {} : { with: input.with }),
  };
}

function nameOfFile(source: string): string {
  const base = source.split("/").at(-1) ?? "";
  return (
    base
      .replace(/\.ya?ml$/, "")
      .toLowerCase()
      .replaceAll(/[^-a-z0-9]+/g, "-") || "scenario"
  );
}
