import { formatDuration, formatTimestamp } from "@kintsugi/api";

/** Something that happened to a cluster and can happen to it again in a rehearsal. */
export interface RepeatableIncident {
  readonly fault: "kill-node" | "cut-node" | "runtime-away" | "drain" | "delete-pods";
  /** A node, or a workload: "shop/deployment/web". */
  readonly target: string;
  readonly atMs: number;
  /** Absent for an incident that had no end. */
  readonly forMs?: number;
  /** The evidence in the file. */
  readonly because: string;
}

export interface Incidents {
  readonly found: readonly RepeatableIncident[];
  /** Sentences about what happened and is in no scenario. */
  readonly leftOut: readonly string[];
}

/** Time before the first fault. */
const leadMs = 10_000;
/** A cluster has this long to become whole after its last fault. */
const tailMs = 15 * 60_000;
/** A scenario may be no longer; a longer course is cut, and that is said. */
const runMaxMs = 24 * 60 * 60_000;
/** A person reads no longer list; the earliest are first. */
const incidentsMax = 200;
const linesMax = 20;

/**
 * Writes incidents as a scenario: text that people change.
 * @param source the file that shows them. @param cluster the source of the cluster they happen to.
 */
export function scenarioOf(
  { found, leftOut }: Incidents,
  { source, cluster }: { source: string; cluster: string },
): string {
  const sorted = found.toSorted((a, b) => a.atMs - b.atMs || (a.target < b.target ? -1 : 1));
  const originMs = (sorted[0]?.atMs ?? 0) - leadMs;
  const shown = sorted.filter(({ atMs }) => atMs - originMs < runMaxMs - tailMs).slice(0, incidentsMax);
  const cut = sorted.length - shown.length;
  const ends = shown.map(({ atMs, forMs = 0 }) => atMs + forMs - originMs);
  const runMs = Math.min(runMaxMs, Math.max(0, ...ends) + tailMs);
  return [
    `# From ${source}: time 0 is ${formatTimestamp(originMs)}. Change times and targets, and ask again:`,
    `#   kintsugi rehearse --from ${cluster} --scenario THIS-FILE`,
    ...leftOut.slice(0, linesMax).map((line) => `# Not in it: ${line}`),
    ...(leftOut.length > linesMax ? [`# Not in it: ${leftOut.length - linesMax} more of this sort`] : []),
    ...(cut > 0 ? [`# Not in it: ${cut} later faults`] : []),
    "faults:",
    ...shown.map((incident) => `  - ${faultText(incident, originMs)} # ${incident.because}`),
    `run: ${seconds(runMs)}`,
    "",
  ].join("\n");
}

function faultText({ fault, target, atMs, forMs }: RepeatableIncident, originMs: number): string {
  const field = fault === "delete-pods" ? "workload" : "node";
  const length = forMs !== undefined ? `, for: ${seconds(forMs)}` : fault === "kill-node" ? ", stays: true" : "";
  return `{ at: ${seconds(atMs - originMs)}, fault: ${fault}, ${field}: ${JSON.stringify(target)}${length} }`;
}

/** No time of Kubernetes is more exact than a second. */
function seconds(ms: number): string {
  return formatDuration(Math.max(1, Math.round(ms / 1000)) * 1000);
}
