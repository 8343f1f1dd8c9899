import { formatDuration } from "@kintsugi/api";
import { suggest } from "@kintsugi/yaml-text";
import type { Fault, TargetKind } from "../faults/fault.ts";
import { wrongSettings } from "../faults/fault-settings.ts";
import { faults } from "../faults/faults.ts";
import { serviceNames } from "../faults/targets.ts";
import { measureNames } from "./expectation.ts";
import type { ScenarioFileInput } from "./file-schema.ts";
import type { Scenario } from "./scenario.ts";

interface WrongReference {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

type FaultInput = NonNullable<ScenarioFileInput["faults"]>[number];
type ExpectationInput = NonNullable<ScenarioFileInput["expect"]>[number];

const targetKinds = ["node", "zone", "service", "server", "process", "workload"] as const;

/** Finds unknown names, times after the end, and settings that a fault does not have. */
export function checkReferences(input: ScenarioFileInput, scenario: Scenario): WrongReference[] {
  return [
    ...twice(scenario.nodes, "nodes"),
    ...twice(scenario.workloads, "workloads"),
    ...(scenario.world.bus && scenario.world.servers !== undefined
      ? [{ path: ["world", "bus"], message: "servers that share their objects are watched over HTTP: omit bus" }]
      : []),
    ...checkFaults(input.faults ?? [], scenario, faults),
    ...(input.expect ?? []).flatMap((expectation, index) => checkExpectation(expectation, ["expect", index], scenario)),
  ];
}

/** The names and times to which faults may refer. */
export interface FaultSurroundings {
  readonly nodes: Scenario["nodes"];
  readonly workloads: readonly { readonly name: string }[];
  readonly durationMs: number;
  /** Absent if the servers of the control plane are not known. */
  readonly world?: { readonly servers?: number | undefined };
}

/** Finds the same faults in a list of faults alone, which may name the objects of `known`. */
export function checkFaults(
  inputs: readonly FaultInput[],
  surroundings: FaultSurroundings,
  known: readonly Fault[],
): WrongReference[] {
  return inputs.flatMap((fault, index) => checkFault(fault, { path: ["faults", index], surroundings, known }));
}

function twice(list: readonly { name: string }[], key: string): WrongReference[] {
  const names = list.map(({ name }) => name);
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? [{ path: [key, index, "name"], message: `"${name}" is listed twice` }] : [],
  );
}

interface FaultCheck {
  readonly path: readonly (string | number)[];
  readonly surroundings: FaultSurroundings;
  readonly known: readonly Fault[];
}

function checkFault(input: FaultInput, { path, surroundings, known: all }: FaultCheck): WrongReference[] {
  const known = all.find(({ name }) => name === input.fault);
  if (!known) {
    const names = all.map(({ name }) => name);
    return [{ path: [...path, "fault"], message: `unknown fault "${input.fault}"; ${suggest(input.fault, names)}` }];
  }
  const at = (key: string, message: string) => ({ path: [...path, key], message });
  return [
    ...checkTime(input, surroundings).map((message) => at("at", message)),
    ...targetKinds.flatMap((kind) =>
      checkTarget(known, { kind, target: input[kind] }, surroundings).map((text) => at(kind, text)),
    ),
    ...checkEnd(known, input).map(([key, message]) => at(key, message)),
    ...wrongSettings(known, input.with ?? {}).map(([key, message]) => ({ path: [...path, "with", key], message })),
  ];
}

function checkTime({ at }: FaultInput, { durationMs }: FaultSurroundings): string[] {
  if (at <= durationMs) return [];
  return [`${formatDuration(at)} is after the run, which ends at ${formatDuration(durationMs)}`];
}

interface NamedTarget {
  kind: (typeof targetKinds)[number];
  target: string | undefined;
}

function checkTarget(known: Fault, { kind, target }: NamedTarget, surroundings: FaultSurroundings): string[] {
  if (target === undefined) return [];
  if (known.target !== kind) {
    const takes = known.target === "none" ? "nothing" : `a ${known.target}`;
    return [`${known.name} takes ${takes}, not a ${kind}`];
  }
  const names = namesOf(kind, surroundings);
  return names.includes(target) ? [] : [`unknown ${kind} "${target}"; ${suggest(target, names)}`];
}

function checkEnd(known: Fault, input: FaultInput): ["for" | "stays", string][] {
  if (input.for !== undefined && !known.lasts)
    return [["for", `${known.name} ends immediately, so it has no duration`]];
  return input.stays === true && known.mayStay !== true ? [["stays", `${known.name} cannot last forever`]] : [];
}

function namesOf(kind: TargetKind, { nodes, workloads, world }: FaultSurroundings): string[] {
  const nodeNames = nodes.map(({ name }) => name);
  switch (kind) {
    case "node":
      return nodeNames;
    case "service":
      return [...serviceNames];
    case "process":
      return [...serviceNames, ...nodeNames];
    case "server":
      return Array.from({ length: world?.servers ?? 0 }, (_, index) => `server-${index + 1}`);
    case "workload":
      return workloads.map(({ name }) => name);
    case "zone":
      // Nodes without a zone form one zone together.
      return [...new Set(nodes.map(({ zone = "" }) => zone))];
    case "none":
      return [];
  }
}

function checkExpectation(input: ExpectationInput, path: (string | number)[], scenario: Scenario): WrongReference[] {
  const { workload, step } = input;
  if ((workload === undefined) === (step === undefined))
    return [{ path, message: "must name either a workload or a step" }];
  const measured = measureNames.filter((measure) => input[measure] !== undefined);
  if (step !== undefined && measured.length > 0)
    return [
      { path: [...path, measured[0] ?? ""], message: `${measured[0]} is a measure of a workload, not of a step` },
    ];
  if (workload === undefined) return [];
  const timing = (["since", "at", "times"] as const).find((key) => input[key] !== undefined);
  if (timing !== undefined) return [{ path: [...path, timing], message: `${timing} belongs to a step` }];
  const names = scenario.workloads.map(({ name }) => name);
  if (!names.includes(workload))
    return [{ path: [...path, "workload"], message: `unknown workload "${workload}"; ${suggest(workload, names)}` }];
  return measured.length > 0 ? [] : [{ path, message: `needs a measure; the measures are ${measureNames.join(", ")}` }];
}
