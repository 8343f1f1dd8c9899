import { countedNoun, escapeMarkup } from "@kintsugi/api";
import type { AvailabilitySample } from "../downtime.ts";
import type { ScenarioReport, WorkloadReport } from "../report.ts";
import { type FaultWindow, faultWindows } from "../fault-windows.ts";
import { formatInstant } from "../step.ts";

// One chart per workload, in units of the drawing:
//
//   |  label above
//   |########____________########   available pods, below the dashed line of those wanted
//   |-----[ kill-node node-2 ]---   a bar per fault
//   0     5m     10m     15m

const width = 1000;
const left = 30;
const top = 18;
const height = 90;
const barHeight = 16;
const ticks = [60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000, 14_400_000];
const tickCountMax = 12;

/**
 * Draws the number of a workload's pods over time, with the faults below. A compared run has a
 * label.
 */
export function availabilityChart(workload: WorkloadReport, report: ScenarioReport, label?: string): string {
  const { durationMs } = report;
  const peak = Math.max(1, ...workload.samples.map(({ wanted, ready }) => Math.max(wanted, ready)));
  const x = (ms: number) =>
    round(left + (Math.min(Math.max(ms, 0), durationMs) / Math.max(1, durationMs)) * (width - left - 10));
  const y = (pods: number) => round(top + height - (pods / peak) * height);
  const area = (of: (sample: AvailabilitySample) => number) => areaPath(workload.samples, { of, x, y, durationMs });
  const bars = faultWindows(report.steps, durationMs);
  const total = top + height + 8 + bars.length * barHeight + 20;
  const name = `${label === undefined ? "" : `${label}: `}${workload.name}`;
  return [
    // A narrow window scrolls the chart, because its texts would be too small to read.
    `<div class="scroll" tabindex="0"><svg class="chart" viewBox="0 0 ${width} ${total}" role="img" aria-label="${escapeMarkup(name)}: available pods over time">`,
    `<text x="0" y="12">${escapeMarkup(name)}, ${countedNoun(peak, "pod")} at most</text>`,
    `<path class="missing" d="${area(({ wanted }) => wanted)}"/>`,
    `<path class="ready" d="${area(({ ready }) => ready)}"/>`,
    `<path class="available" d="${area(({ available }) => available)}"/>`,
    `<text x="0" y="${y(peak) + 4}">${peak}</text><text x="0" y="${y(0)}">0</text>`,
    `<line class="axis" x1="${left}" x2="${width - 10}" y1="${y(0)}" y2="${y(0)}"/>`,
    ...bars.map((bar, index) => faultBar(bar, { x, y: top + height + 8 + index * barHeight })),
    ...timeAxis(durationMs, { x, y: total - 6 }),
    "</svg></div>",
  ].join("\n");
}

interface AreaOptions {
  of: (sample: AvailabilitySample) => number;
  x: (ms: number) => number;
  y: (pods: number) => number;
  durationMs: number;
}

/** Draws steps instead of slopes, because a number of pods changes at one instant. */
function areaPath(samples: readonly AvailabilitySample[], { of, x, y, durationMs }: AreaOptions): string {
  const corners = samples.flatMap((sample, index) => {
    const toMs = samples[index + 1]?.atMs ?? durationMs;
    return [`L${x(sample.atMs)} ${y(of(sample))}`, `L${x(toMs)} ${y(of(sample))}`];
  });
  return `M${x(0)} ${y(0)} ${corners.join(" ")} L${x(durationMs)} ${y(0)} Z`;
}

function faultBar({ label, fromMs, toMs }: FaultWindow, context: { x: (ms: number) => number; y: number }): string {
  const from = context.x(fromMs);
  const long = Math.max(3, context.x(toMs) - from);
  const text = from > width / 2 ? `x="${from - 4}" text-anchor="end"` : `x="${from + 6}"`;
  return (
    `<rect class="window" x="${from}" y="${context.y}" width="${round(long)}" height="${barHeight - 3}"/>` +
    `<text ${text} y="${context.y + 10}">${escapeMarkup(label)}</text>`
  );
}

function timeAxis(durationMs: number, context: { x: (ms: number) => number; y: number }): string[] {
  const every = ticks.find((tick) => durationMs / tick <= tickCountMax) ?? durationMs / tickCountMax;
  const count = Math.floor(durationMs / every);
  return Array.from({ length: count + 1 }, (_, index) => index * every).map(
    (ms) =>
      `<text x="${context.x(ms)}" y="${context.y}" text-anchor="${anchorAt(ms, durationMs)}">${formatInstant(ms)}</text>`,
  );
}

/** The labels at both ends are kept within the drawing. */
function anchorAt(ms: number, durationMs: number): string {
  if (ms === 0) return "start";
  return ms === durationMs ? "end" : "middle";
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
