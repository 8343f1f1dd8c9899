import type { ChaosViolation } from "./checks/violation.ts";
import type { Family } from "./faults/fault.ts";

/** The faults of a cluster at one time, and its recovery. */
export interface Round {
  readonly faults: readonly { name: string; family: Family; onto: string }[];
  /** The monotonic time of the first fault. */
  readonly startedMs: number;
  /** The longest time without an acknowledged write until the recovery. */
  readonly writeStallMs?: number;
  /** The time from the start until everything was undone. */
  readonly lastedMs: number;
  /** The time from then until the recovery; absent when the limit was exceeded. */
  readonly recoveredAfterMs?: number;
  /**
   * The problems of the cluster when it was last found not recovered; empty when it had recovered
   * immediately.
   */
  readonly waitedFor: readonly string[];
}

export interface ChaosReport {
  readonly seed: number;
  readonly durationMs: number;
  readonly rounds: readonly Round[];
  /** Faults whose condition did not occur, or that this host does not support. */
  readonly notInjected: readonly { name: string; because: string }[];
  readonly operations: {
    readonly ok: number;
    readonly refused: number;
    readonly unknown: number;
    readonly lists: number;
    readonly watchedEvents: number;
    /** The number of the API's refusals by their reason. */
    readonly refusals: Readonly<Record<string, number>>;
  };
  /** The figures of the log on the disk, and of its checks. */
  readonly log: {
    readonly revisions: number;
    readonly podChanges: number;
    readonly checks: number;
    /** Changes with which the calls were compared. */
    readonly ofTheLoad: number;
  };
  readonly violations: readonly ChaosViolation[];
  /** The directory of journal and logs after a violation. */
  readonly evidence?: string;
}

export function worstRecovery({ rounds }: ChaosReport): Round | undefined {
  return rounds.toSorted((a, b) => (b.recoveredAfterMs ?? Infinity) - (a.recoveredAfterMs ?? Infinity))[0];
}

/**
 * Minimum of acknowledged calls per second. With fewer calls, the load has hardly used the cluster.
 */
const okPerSecondMin = 2;

/** Explains why a run without violations is not a valid test; undefined for a valid run. */
export function voidBecause({ rounds, operations, durationMs }: ChaosReport): string | undefined {
  if (rounds.length === 0) return "no fault was injected";
  const perSecond = operations.ok / (durationMs / 1000);
  return perSecond < okPerSecondMin ? `only ${perSecond.toFixed(1)} calls a second were acknowledged` : undefined;
}

/** Number of printed causes for which the worst recovery waited. */
const waitedForMax = 5;

export function formatReport(report: ChaosReport): string {
  const { operations: o, log, rounds, notInjected, violations } = report;
  const injected = rounds.flatMap(({ faults }) => faults);
  const kinds = new Set(injected.map(({ name }) => name)).size;
  const worst = worstRecovery(report);
  const recoveries = rounds.flatMap(({ recoveredAfterMs }) => recoveredAfterMs ?? []).sort((a, b) => a - b);
  const median = recoveries[Math.floor(recoveries.length / 2)];
  return [
    `seed ${report.seed}, ${seconds(report.durationMs)}`,
    `faults injected: ${injected.length} of ${kinds} kinds in ${rounds.length} rounds${byFamily(injected)}`,
    ...notInjected.map(({ name, because }) => `  not injected: ${name}: ${because}`),
    `operations: ${o.ok + o.refused + o.unknown} calls (${o.ok} ok, ${o.refused} refused, ${o.unknown} unknown), ` +
      `${o.lists} lists, ${o.watchedEvents} watched events`,
    `refusals: ${Object.entries(o.refusals)
      .map(([reason, count]) => `${reason} ${count}`)
      .join(", ")}`,
    `log: ${log.revisions} revisions (${log.ofTheLoad} of the load, ${log.podChanges} of pods), ${log.checks} checks`,
    `recovery: median ${seconds(median)}, worst ${seconds(worst?.recoveredAfterMs)}` +
      (worst === undefined ? "" : ` after ${describeFaults(worst)}`),
    ...(worst?.waitedFor ?? []).slice(0, waitedForMax).map((what) => `  waited last for: ${what}`),
    ...stallLines(report),
    `violations: ${violations.length === 0 ? "none" : violations.length}`,
    ...violations.slice(0, 20).map(({ invariant, message }) => `  ${invariant}: ${message}`),
    ...(voidBecause(report) === undefined ? [] : [`void: ${voidBecause(report)}`]),
    ...(report.evidence === undefined ? [] : [`evidence: ${report.evidence}`]),
  ].join("\n");
}

/** Number of printed rounds with the longest stalls. */
const stallsMax = 4;

function stallLines({ rounds }: ChaosReport): string[] {
  const longest = rounds.toSorted((a, b) => (b.writeStallMs ?? 0) - (a.writeStallMs ?? 0)).slice(0, stallsMax);
  return longest.flatMap((round) =>
    round.writeStallMs === undefined
      ? []
      : [`longest time without an acknowledged write: ${seconds(round.writeStallMs)}, at ${describeFaults(round)}`],
  );
}

export function describeFaults({ faults }: Pick<Round, "faults">): string {
  return faults.map(({ name, onto }) => `${name} (${onto})`).join(" and ");
}

export function seconds(durationMs: number | undefined): string {
  return durationMs === undefined ? "never" : `${(durationMs / 1000).toFixed(1)} s`;
}

function byFamily(injected: readonly { family: Family }[]): string {
  const counts = new Map<Family, number>();
  for (const { family } of injected) counts.set(family, (counts.get(family) ?? 0) + 1);
  return counts.size === 0 ? "" : ` (${[...counts].map(([family, count]) => `${family} ${count}`).join(", ")})`;
}
