import {
  isQuantity,
  simulatedNodesMax,
  parseDurationMs,
  parsePodEscalation,
  parseSchedule,
  profileNames,
  utc,
} from "@kintsugi/api";
import { z } from "zod";
import { parseRange, type Range } from "./ranges.ts";
import { scenarioConcurrencies, scenarioSpreads, workloadKindNames } from "./scenario.ts";
import { nearestDuration, type TimerFlag } from "./timer-flags.ts";

// The scenario file as users write it, one line per field. docs/recipes/write-a-scenario.md
// explains it; unknown keys are rejected.

const duration = z.unknown().transform((value, context) => {
  try {
    return parseDurationMs(String(value));
  } catch (error) {
    const meant = nearestDuration(String(value));
    const help =
      meant === undefined ? (error as Error).message : `"${String(value)}" is not a duration; did you mean "${meant}"?`;
    context.addIssue({
      code: "custom",
      message: value === undefined ? "is missing; write for example 90s or 5m" : help,
    });
    return z.NEVER;
  }
});

const quantity = z
  .union([z.string(), z.number()], { error: "is neither a string nor a number; write for example 500m or 64Mi" })
  .transform(String)
  .refine(isQuantity, { error: ({ input }) => `"${String(input)}" is not a quantity; write for example 500m or 64Mi` });

const range = (unit: "time" | "count") =>
  z.unknown().transform((value, context): Range => {
    try {
      return parseRange(String(value), unit);
    } catch (error) {
      context.addIssue({ code: "custom", message: (error as Error).message });
      return z.NEVER;
    }
  });

const name = z.string().regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, {
  error: ({ input }) => `"${String(input)}" is not a name; names have lower case letters, digits and dashes`,
});

const count = z.number().int().min(0).max(1000);

const node = z.strictObject({ name, zone: name.optional() });

const liveness = z.strictObject({
  /** Run by a shell in the container; the container is healthy while it ends with 0. */
  exec: z.string(),
  period: duration.optional(),
  "failure-threshold": count.optional(),
});

const autoscale = z.strictObject({
  min: z.number().int().min(1),
  max: count,
  cpu: quantity,
  load: quantity.optional(),
});

const escalation = z.string().transform((text, context) => {
  try {
    parsePodEscalation(text);
    return text;
  } catch (error) {
    context.addIssue({ code: "custom", message: (error as Error).message });
    return z.NEVER;
  }
});

const schedule = z.string().superRefine((text, context) => {
  const parsed = parseSchedule(text, utc);
  if ("problem" in parsed)
    context.addIssue({
      code: "custom",
      message: `"${text}" is not a schedule such as "*/5 * * * *": ${parsed.problem}`,
    });
});

const workload = z.strictObject({
  name,
  kind: z.enum(workloadKindNames).optional(),
  replicas: count,
  completions: count.optional(),
  indexed: z.boolean().optional(),
  parallel: z.boolean().optional(),
  schedule: schedule.optional(),
  concurrency: z.enum(scenarioConcurrencies).optional(),
  "starting-deadline-seconds": count.optional(),
  cpu: quantity.optional(),
  memory: quantity.optional(),
  script: z.string().optional(),
  probes: z.boolean().optional(),
  liveness: liveness.optional(),
  volumes: z.boolean().optional(),
  claims: z.boolean().optional(),
  devices: z.boolean().optional(),
  service: z.boolean().optional(),
  autoscale: autoscale.optional(),
  important: z.boolean().optional(),
  budget: z.strictObject({ minAvailable: count }).optional(),
  "toleration-seconds": count.optional(),
  spread: z.enum(scenarioSpreads).optional(),
  fenced: z.boolean().optional(),
  escalation: escalation.optional(),
  rebalance: z.boolean().optional(),
});

const fault = z.strictObject({
  at: duration,
  fault: z.string(),
  for: duration.optional(),
  node: z.string().optional(),
  zone: z.string().optional(),
  service: z.string().optional(),
  server: z.string().optional(),
  process: z.string().optional(),
  workload: z.string().optional(),
  stays: z.literal(true).optional(),
  with: z.record(z.string(), z.union([z.number(), z.string()])).optional(),
});

const expectation = z.strictObject({
  workload: z.string().optional(),
  downtime: range("time").optional(),
  degraded: range("time").optional(),
  "below-budget": range("time").optional(),
  undetected: range("time").optional(),
  recovery: range("time").optional(),
  created: range("count").optional(),
  deleted: range("count").optional(),
  evictions: range("count").optional(),
  restarts: range("count").optional(),
  step: z.string().optional(),
  since: z.string().optional(),
  at: range("time").optional(),
  times: range("count").optional(),
});

const timer = ({ isDuration, read }: TimerFlag) =>
  z.unknown().transform((value, context): number | string => {
    try {
      return read(String(value));
    } catch (error) {
      const meant = isDuration ? nearestDuration(String(value)) : undefined;
      const help = `"${String(value)}" is not a duration; did you mean "${meant}"?`;
      context.addIssue({ code: "custom", message: meant === undefined ? (error as Error).message : help });
      return z.NEVER;
    }
  });

/**
 * A higher rate would be a benchmark of the API, for which a cluster in virtual time is not suited.
 */
const operationsPerSecondMax = 100;

/** Maximum number of members that etcd recommends. */
const serversMax = 7;

/** @param timerFlags the timers that a file can set, by the flags of the services. */
export function scenarioFileSchema(timerFlags: readonly TimerFlag[]) {
  const timers = Object.fromEntries(timerFlags.map((each) => [each.flag, timer(each).optional()]));
  return z.strictObject({ timers: z.strictObject(timers).optional(), ...untimed });
}

const untimed = {
  name: name.optional(),
  description: z.string().optional(),
  seed: z.number().int().min(0).optional(),
  profile: z.enum(profileNames).optional(),
  nodes: z.preprocess(namedNodes, z.array(node).min(1)).optional(),
  workloads: z.array(workload).min(1),
  faults: z.array(fault).optional(),
  run: duration.optional(),
  mode: z.enum(["safety", "liveness"]).optional(),
  world: z
    .strictObject({
      bus: z.boolean().optional(),
      "leader-election": z.boolean().optional(),
      rebalance: z.boolean().optional(),
      servers: z.number().int().min(1).max(serversMax).optional(),
      quota: z.strictObject({ pods: count, cpu: quantity.optional() }).optional(),
      latency: duration.optional(),
      "operations-per-second": z.number().min(0).max(operationsPerSecondMax).optional(),
      kept: z.strictObject({ events: z.number().int().min(1), duration }).optional(),
    })
    .optional(),
  expect: z.array(expectation).optional(),
};

export type ScenarioFileInput = z.output<ReturnType<typeof scenarioFileSchema>>;

/** The part of a scenario that a cluster with nodes and workloads of its own lacks. */
export const faultsFileSchema = z.strictObject({
  name: untimed.name,
  description: untimed.description,
  faults: z.array(fault).min(1),
  run: untimed.run,
});

/** "3" represents node-1 to node-3, and a string represents a node of that name. */
function namedNodes(value: unknown): unknown {
  if (typeof value === "number" && Number.isInteger(value) && value > 0 && value <= simulatedNodesMax)
    return Array.from({ length: value }, (_, index) => ({ name: `node-${index + 1}` }));
  if (!Array.isArray(value)) return value;
  return value.map((each: unknown) => (typeof each === "string" ? { name: each } : each));
}
