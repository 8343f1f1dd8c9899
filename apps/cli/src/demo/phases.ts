import type { TimelineLine, TimerProfile } from "@kintsugi/api";

/**
 * The time of each observation, in milliseconds of wall time; absent if the event was not observed.
 */
export interface Sightings {
  containerKilled?: number;
  crashDetected?: number;
  containerRestarted?: number;
  nodeKilled?: number;
  /** The last renewal of the node's Lease, from the Lease itself. */
  lastHeartbeat?: number;
  notReady?: number;
  tainted?: number;
  firstMarked?: number;
  replacementCreated?: number;
  replacementScheduled?: number;
  replacementRunning?: number;
  allReady?: number;
  nodeReturned?: number;
  returnedReady?: number;
  leftoversGone?: number;
}

/** One phase of the recovery: from one observation to the next. */
export interface Phase {
  readonly name: string;
  /** Undefined when its beginning or its end was not observed. */
  readonly wallMs: number | undefined;
  /** The part of the time that the configured timers explain. */
  readonly configuredMs: number;
  /** The part of `wallMs` that the timers do not explain. */
  readonly overheadMs: number | undefined;
}

interface PhaseRow {
  name: string;
  /** The phase is part of the scenario only if the demo has access to the nodes. */
  crash?: true;
  from: keyof Sightings;
  to: keyof Sightings;
  configured?: (timers: TimerProfile) => number;
}

const rows: readonly PhaseRow[] = [
  { name: "container killed → crash detected", from: "containerKilled", to: "crashDetected", crash: true },
  { name: "crash detected → container restarted", from: "crashDetected", to: "containerRestarted", crash: true },
  {
    name: "last heartbeat → node NotReady",
    from: "lastHeartbeat",
    to: "notReady",
    configured: (t) => t.nodeMonitorGracePeriodMs,
  },
  { name: "NotReady → node tainted", from: "notReady", to: "tainted" },
  {
    name: "tainted → first pod marked for deletion",
    from: "tainted",
    to: "firstMarked",
    configured: (t) => t.defaultTolerationSeconds * 1000,
  },
  { name: "marked → replacement created", from: "firstMarked", to: "replacementCreated" },
  { name: "created → scheduled", from: "replacementCreated", to: "replacementScheduled" },
  { name: "scheduled → running", from: "replacementScheduled", to: "replacementRunning" },
  { name: "first running → all ready", from: "replacementRunning", to: "allReady" },
  {
    name: "last heartbeat → all ready (whole recovery)",
    from: "lastHeartbeat",
    to: "allReady",
    configured: (t) => t.nodeMonitorGracePeriodMs + t.defaultTolerationSeconds * 1000,
  },
  { name: "node back → Ready", from: "nodeReturned", to: "returnedReady" },
  { name: "node back → leftovers removed", from: "nodeReturned", to: "leftoversGone" },
];

/**
 * Returns the phases of the recovery, each with the time that the timers explain. The phases of the
 * crash are omitted if no crash was played.
 */
export function toPhases(seen: Sightings, timers: TimerProfile, played: { crash: boolean }): Phase[] {
  const shown = rows.filter((row) => played.crash || row.crash === undefined);
  return shown.map(({ name, from, to, configured }) => {
    const [start, end] = [seen[from], seen[to]];
    const configuredMs = configured?.(timers) ?? 0;
    const wallMs = start === undefined || end === undefined ? undefined : end - start;
    return { name, wallMs, configuredMs, overheadMs: wallMs === undefined ? undefined : wallMs - configuredMs };
  });
}

/** Reports whether every phase was observed. */
export function allObserved(phases: readonly Phase[]): boolean {
  return phases.every((phase) => phase.wallMs !== undefined);
}

/** The lines of a timeline since a time, with times relative to that time. */
export function linesSince(lines: readonly TimelineLine[], fromMs: number): TimelineLine[] {
  return lines
    .filter(({ timeMs }) => timeMs >= fromMs)
    .map((line) => ({ ...line, sinceFirstMs: line.timeMs - fromMs }));
}
