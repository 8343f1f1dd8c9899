import { workloadKinds } from "../workloads/workload-kinds.ts";

/** One step in the history of a simulated cluster. */
export interface Step {
  /** The time after the scenario began. */
  readonly atMs: number;
  /** "pod/web-4x7kq", "node/node-1", "fault/kill-node". */
  readonly object: string;
  readonly what: string;
  readonly detail: string;
  /** The timer that explains the delay before the step. */
  readonly explained?: string;
}

/** Steps of the same kind that happened to several objects at one instant. */
export interface StepGroup extends Omit<Step, "object"> {
  readonly objects: readonly string[];
}

/**
 * Selects the steps that a person wants to see first; the other steps repeat them in other words,
 * or always happen.
 */
export function tellingSteps(steps: readonly Step[]): Step[] {
  const telling = steps.filter(isTelling);
  return telling.filter((step, index) => !isRevised(step, telling.slice(index + 1)));
}

/** Reports whether an object's readiness changes again within the same instant. */
function isRevised({ atMs, object, what, detail }: Step, later: readonly Step[]): boolean {
  if (what !== "condition" || !detail.startsWith("Ready=")) return false;
  for (const step of later) {
    if (step.atMs !== atMs) return false;
    if (step.object === object && step.what === what && step.detail.startsWith("Ready=")) return true;
  }
  return false;
}

function isTelling({ object, what, detail }: Step): boolean {
  if (object.startsWith("fault/")) return true;
  const isNode = object.startsWith("node/");
  if (what === "condition") return !quietConditions.has(detail.slice(0, detail.indexOf("=")));
  if (what === "phase") return /^(Failed|Succeeded)/.test(detail);
  if (what === "container-waiting") return !/ContainerCreating|PodInitializing/.test(detail);
  if (what === "container-running") return detail.includes("restart");
  if (journalWords.has(what)) return true;
  return isNode ? !quietNodeEvents.has(what) : tellingEvents.has(what);
}

/** These conditions follow from other conditions, or only confirm that all is well. */
const quietConditions = new Set([
  "MemoryPressure",
  "DiskPressure",
  "PIDPressure",
  "PodScheduled",
  "Initialized",
  "ContainersReady",
  "PodReadyToStartContainers",
  "DisruptionTarget",
]);
const journalWords = new Set([
  "created",
  "deleted",
  "bound",
  "terminating",
  "taint-added",
  "taint-removed",
  "cordoned",
  "uncordoned",
  "container-terminated",
]);
/** Events that repeat a change of a condition, which has its own step. */
const quietNodeEvents = new Set([
  "NodeHasSufficientMemory",
  "NodeHasNoDiskPressure",
  "NodeHasSufficientPID",
  "NodeNotReady",
  "NodeReady",
  "RegisteredNode",
  "Starting",
  "NodeAllocatableEnforced",
]);
const tellingEvents = new Set([
  ...Object.values(workloadKinds).flatMap(({ events }) => events),
  "SuccessfulRescale",
  "TaintManagerEviction",
  "FailedScheduling",
  "Unhealthy",
  "Killing",
  "FailedCreatePodSandBox",
  "Failed",
  "FailedCreate",
  "Preempted",
]);

/** Merges equal steps of several objects of one kind at one instant. The order is preserved. */
export function groupSteps(steps: readonly Step[]): StepGroup[] {
  const groups = new Map<string, { -readonly [Key in keyof StepGroup]: StepGroup[Key] } & { objects: string[] }>();
  for (const { object, ...step } of steps) {
    const kind = object.slice(0, object.indexOf("/"));
    const same = groups.get(`${step.atMs} ${kind} ${step.what} ${withoutNames(step.detail)}`);
    if (same) same.objects.push(object);
    else groups.set(`${step.atMs} ${kind} ${step.what} ${withoutNames(step.detail)}`, { ...step, objects: [object] });
  }
  return [...groups.values()].map((group) => ({ ...group, objects: group.objects.sort() }));
}

/** Details that differ only in names count as equal. */
export function withoutNames(detail: string): string {
  return detail
    .replaceAll(/\b[a-z0-9-]+_[a-z0-9-]+\([0-9a-f-]{36}\)/g, "pod")
    .replaceAll(/\bdefault\/[a-z0-9-]+/g, "pod");
}

/** 100500 → "1m40.500s". */
export function formatInstant(ms: number): string {
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor((ms % 3_600_000) / 60_000)];
  const seconds = (ms % 60_000) / 1000;
  const parts = [
    hours > 0 ? `${hours}h` : "",
    minutes > 0 ? `${minutes}m` : "",
    seconds > 0 ? `${shown(seconds)}s` : "",
  ];
  return parts.join("") || "0s";
}

function shown(seconds: number): string {
  return Number.isInteger(seconds) ? String(seconds) : seconds.toFixed(3);
}
