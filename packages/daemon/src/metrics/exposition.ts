import { performance } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Registry } from "prom-client";

/** One line; the name is absent if it is the metric's name. */
interface Sample {
  readonly metricName?: string;
  readonly labels?: Readonly<Record<string, string | number>>;
  /** Labels that all lines of a series share, rendered once. */
  readonly sharedLabels?: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * Other work gets a turn after this time, because a large exposition takes some tenths of a second.
 */
const turnMs = 20;
/** Number of lines between two readings of the clock; so many lines take about a millisecond. */
const linesBetweenLooks = 256;

/**
 * Renders all metrics in Prometheus' text format, with turns for other work in between. The library
 * renders everything in one turn.
 */
export async function expositionOf(registry: Registry): Promise<string> {
  const parts: string[] = [];
  let lines: string[] = [];
  const shared = new Map<Sample["sharedLabels"], string>();
  let beganMs = performance.now();
  for (const { name } of registry.getMetricsAsArray()) {
    const metric = await registry.getSingleMetric(name)?.get();
    if (metric === undefined) continue;
    if (lines.length + parts.length > 0) lines.push("");
    lines.push(`# HELP ${name} ${escaped(metric.help)}`, `# TYPE ${name} ${metric.type}`);
    for (const [index, sample] of (metric.values as readonly Sample[]).entries()) {
      lines.push(lineOf(name, sample, shared));
      if (index % linesBetweenLooks < linesBetweenLooks - 1 || performance.now() - beganMs < turnMs) continue;
      parts.push(lines.join("\n"));
      lines = [];
      await nextTurn();
      beganMs = performance.now();
    }
    shared.clear();
  }
  return [...parts, ...lines, ""].join("\n");
}

function lineOf(name: string, sample: Sample, shared: Map<Sample["sharedLabels"], string>): string {
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
