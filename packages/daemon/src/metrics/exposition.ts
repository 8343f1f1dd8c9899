import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import type { Registry } from "prom-client";

/** One line; the name is absent if it is the metric's name. */
export interface MetricSample {
  readonly metricName?: string;
  readonly labels?: Readonly<Record<string, string | number>>;
  /** Labels that all lines of a series share, rendered once. */
  readonly sharedLabels?: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** A metric whose samples are made one series at a time. */
export interface SeriesMetric {
  exposed(): ExposedMetric;
}

interface ExposedMetric {
  readonly help: string;
  readonly type: string;
  /** The samples of each series; those of one series were made at the same time. */
  readonly series: Iterable<readonly MetricSample[]>;
}

/** The metrics of a registry of prom-client. */
type Metrics = Pick<Registry, "getMetricsAsArray" | "getSingleMetric">;

interface ExpositionDeps {
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
  /** Resolves after other work had a turn. */
  readonly nextTurn: () => Promise<unknown>;
}

/**
 * Other work gets a turn after this time, because a large exposition takes some tenths of a second.
 */
export const turnMs = 20;
/** Number of lines between two readings of the clock; so many lines take about a millisecond. */
export const linesBetweenLooks = 256;

const ofProcess: ExpositionDeps = { nowMs: () => performance.now(), nextTurn: () => setImmediate() };

/**
 * Renders all metrics in Prometheus' text format, with turns for other work in between. The library
 * makes and renders everything in one turn.
 */
export async function expositionOf(registry: Metrics, { nowMs, nextTurn } = ofProcess): Promise<string> {
  const parts: string[] = [];
  let lines: string[] = [];
  const shared = new Map<MetricSample["sharedLabels"], string>();
  let beganMs = nowMs();
  let unlooked = 0;
  for (const { name } of registry.getMetricsAsArray()) {
    const metric = await exposedIn(registry, name);
    if (metric === undefined) continue;
    if (lines.length + parts.length > 0) lines.push("");
    lines.push(`# HELP ${name} ${escaped(metric.help)}`, `# TYPE ${name} ${metric.type}`);
    for (const samples of metric.series) {
      for (const sample of samples) lines.push(lineOf(name, sample, shared));
      unlooked += samples.length;
      if (unlooked < linesBetweenLooks) continue;
      unlooked = 0;
      if (nowMs() - beganMs < turnMs) continue;
      parts.push(lines.join("\n"));
      lines = [];
      await nextTurn();
      beganMs = nowMs();
    }
    shared.clear();
  }
  return [...parts, ...lines, ""].join("\n");
}

async function exposedIn(registry: Metrics, name: string): Promise<ExposedMetric | undefined> {
  const metric = registry.getSingleMetric(name);
  if (metric === undefined) return undefined;
  if ("exposed" in metric) return (metric as unknown as SeriesMetric).exposed();
  const { help, type, values } = await metric.get();
  return { help, type: String(type), series: (values as readonly MetricSample[]).map((sample) => [sample]) };
}

function lineOf(name: string, sample: MetricSample, shared: Map<MetricSample["sharedLabels"], string>): string {
  const { metricName = name, labels = {}, sharedLabels, value } = sample;
  let common = sharedLabels === undefined ? "" : shared.get(sharedLabels);
  if (common === undefined) shared.set(sharedLabels, (common = labelText(sharedLabels ?? {})));
  const own = labelText(labels);
  const all = own === "" || common === "" ? own + common : `${own},${common}`;
  return all === "" ? `${metricName} ${valueText(value)}` : `${metricName}{${all}} ${valueText(value)}`;
}

function labelText(labels: Readonly<Record<string, string | number>>): string {
  let text = "";
  for (const [name, value] of Object.entries(labels)) {
    text += `${text === "" ? "" : ","}${name}="${escaped(String(value)).replaceAll('"', '\\"')}"`;
  }
  return text;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function valueText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return String(value);
  return value < 0 ? "-Inf" : "+Inf";
}
