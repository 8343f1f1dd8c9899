import { backoffDelayMs } from "@kintsugi/clock";
import type { ProcessIdentity } from "../host/process-identity.ts";
import type { Component } from "../cluster/component.ts";

/** The supervisor's record of a component's process. */
export interface ComponentRecord {
  process?: ProcessIdentity;
  /** Consecutive ends, each less than `steadyMs` after its start. */
  failures: number;
  startedAtMs: number;
  endedAtMs: number;
  restarts: number;
}

export const unstarted: ComponentRecord = { failures: 0, startedAtMs: 0, endedAtMs: 0, restarts: 0 };

const restartBackoff = { initialMs: 100, factor: 2, maxMs: 10_000 };
/**
 * A process that ran this long is steady: its next end counts as a first failure again, so it is
 * restarted after only 100 ms. The number is systemd's: its default start limit, 5 starts in 10 s,
 * never applies to a process that runs for 2 s. A service of Kintsugi that cannot work (a wrong
 * flag, a missing file, a port in use) ends within its first second, so a process that lives longer
 * was killed from outside or failed during its work.
 */
const steadyMs = 2_000;

export interface SupervisionPlan {
  readonly start: readonly Component[];
  /** Ids whose process has to be stopped. */
  readonly stop: readonly string[];
  /** The latest time of the next pass; undefined when components do not wait. */
  readonly wakeAtMs: number | undefined;
}

/**
 * Plans the starts and stops after which exactly the wanted components run. Times are monotonic.
 */
export function planSupervision(
  wanted: readonly Component[],
  records: ReadonlyMap<string, ComponentRecord>,
  nowMs: number,
): SupervisionPlan {
  const start: Component[] = [];
  let wakeAtMs: number | undefined;
  for (const component of wanted) {
    const record = records.get(component.id) ?? unstarted;
    if (record.process) continue;
    const dueMs = record.endedAtMs + backoffDelayMs(record.failures, restartBackoff);
    if (record.failures === 0 || dueMs <= nowMs) start.push(component);
    else wakeAtMs = Math.min(wakeAtMs ?? dueMs, dueMs);
  }
  const wantedIds = new Set(wanted.map((component) => component.id));
  const stop = [...records].filter(([id, record]) => record.process && !wantedIds.has(id)).map(([id]) => id);
  return { start, stop, wakeAtMs };
}

/** The record after its process has ended. */
export function afterEnd(record: ComponentRecord, nowMs: number): ComponentRecord {
  const steady = nowMs - record.startedAtMs >= steadyMs;
  return {
    failures: steady ? 1 : record.failures + 1,
    startedAtMs: record.startedAtMs,
    endedAtMs: nowMs,
    restarts: record.restarts,
  };
}

/** The record after a process was started, or found running (`adopted`). */
export function afterStart(record: ComponentRecord, process: ProcessIdentity, nowMs: number): ComponentRecord {
  const again = record.startedAtMs > 0;
  return { ...record, process, startedAtMs: nowMs, restarts: record.restarts + (again ? 1 : 0) };
}
