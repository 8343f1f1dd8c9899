import { formatDuration, formatTimestamp } from "@kintsugi/api";

/** An incident of a cluster that can be repeated in a rehearsal. */
export interface RepeatableIncident {
  readonly fault: "kill-node" | "cut-node" | "runtime-away" | "drain" | "delete-pods";
  /** A node, or a workload: "shop/deployment/web". */
  readonly target: string;
  readonly atMs: number;
  /** Absent for an incident without an end. */
  readonly forMs?: number;
  /** The evidence in the file. */
  readonly because: string;
}

export interface Incidents {
  readonly found: readonly RepeatableIncident[];
  /** Sentences about incidents that are not in a scenario. */
  readonly leftOut: readonly string[];
}

/** Time before the first fault. */
const leadMs = 10_000;
/** Time that a cluster has to recover after its last fault. */
const tailMs = 15 * 60_000;
/** Maximum length of a scenario; a longer course is cut, and the report states the cut. */
const runMaxMs = 24 * 60 * 60_000;
/** Maximum number of incidents that a person reads; the earliest are first. */
const incidentsMax = 200;
const linesMax = 20;

/**
 * Writes incidents as a scenario, in a text form that people edit.
 * @param source the file that shows the incidents. @param cluster the source of the cluster in
 * which the incidents happen. A record is that source itself, and has the cluster's state at the
 * first incident.
 */
export function scenarioOf(
  { found, leftOut }: Incidents,
  { source, cluster }: { source: string; cluster: string | undefined },
): string {
  const sorted = found.toSorted((a, b) => a.atMs - b.atMs || (a.target < b.target ? -1 : 1));
  const originMs = (sorted[0]?.atMs ?? 0) - leadMs;
  const shown = sorted.filter(({ atMs }) => atMs - originMs < runMaxMs - tailMs).slice(0, incidentsMax);
  const cut = sorted.length - shown.length;
  const ends = shown.map(({ atMs, forMs = 0 }) => atMs + forMs - originMs);
  const runMs = Math.min(runMaxMs, Math.max(0, ...ends) + tailMs);
  const from = cluster ?? `${source} --until ${formatTimestamp(originMs)}`;
  return [
    `# From ${source}: time 0 is ${formatTimestamp(originMs)}. Change times and targets, and ask again:`,
    `#   kintsugi rehearse --from ${from} --scenario THIS-FILE`,
    ...leftOut.slice(0, linesMax).map((line) => `# Not in this scenario: ${line}`),
    ...(leftOut.length > linesMax ? [`# Not in this scenario: ${leftOut.length - linesMax} more of this sort`] : []),
    ...(cut > 0 ? [`# Not in this scenario: ${cut} later faults`] : []),
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

/** Kubernetes' times have a precision of one second. */
function seconds(ms: number): string {
  return formatDuration(Math.max(1, Math.round(ms / 1000)) * 1000);
}
