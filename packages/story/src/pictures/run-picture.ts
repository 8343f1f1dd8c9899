import { escapeMarkup, lengthInWords } from "@kintsugi/api";
import { type PodSample, shortagesOf } from "../pod-counts.ts";
import type { StoryRecording } from "../recording/story-recording.ts";

// The picture of one workload's run, 800 wide, in units of the drawing:
//
//   title                          degraded for 5 min 49 s
//   ▇▇▇▇▇▇▇▇▁▁▁▁▁▁▁▁▁▁▁│▇▇▇▇▇▇▇▇   available, counted as Ready, missing; │ a gold seam
//        ▂▂▂▂▂▂▂▂▂▂▂▂▂ kill node    a bar for each fault
//   0 min         5 min      10 min

/** The size of a picture, at which its users show it. */
export const pictureWidth = 800;
const left = 34;
const right = 12;
const top = 46;
const plotHeight = 120;
const faultHeight = 18;
const axisHeight = 24;
/** Limit on drawn faults, because a run may have more faults than fit into a picture. */
const faultsMax = 4;

const light =
  "--ink:#1c2330;--dim:#5b6675;--paper:#fff;--line:#d9dee5;--good:#2f9e62;--seen:#9bb0c9;--bad:#d64545;--fault:#e8a33d;--gold:#b98a1c";
const dark =
  "--ink:#e4e8ee;--dim:#97a3b3;--paper:#14181f;--line:#2e3641;--good:#46c07f;--seen:#4a5d76;--bad:#ef6b6b;--fault:#f0b75a;--gold:#e6b94a";

const style = `svg{${light}}@media(prefers-color-scheme:dark){svg{${dark}}}text{font:13px system-ui,sans-serif;fill:var(--dim)}.title{font-size:16px;font-weight:600;fill:var(--ink)}.paper{fill:var(--paper)}.wanted{fill:url(#missing)}.ready{fill:var(--seen)}.available{fill:var(--good)}.fault{fill:var(--fault);fill-opacity:.45}.axis{stroke:var(--line)}.seam{stroke:var(--gold);stroke-width:3}.hatch{stroke:var(--bad);stroke-width:2}`;

/** A run to draw: the recording, one of its workloads, and the text above the picture. */
export interface PicturedRun {
  readonly recording: Pick<StoryRecording, "fromMs" | "toMs" | "pods" | "faults">;
  readonly workload: string;
  readonly title: string;
}

/**
 * Draws the pods of a workload over time as a whole SVG document, in the viewer's light or dark
 * theme. A gold seam marks where the workload has recovered.
 */
export function runPicture({ recording, workload, title }: PicturedRun): string {
  const { fromMs, toMs, pods = [], faults = [] } = recording;
  const samples = pods.find((each) => each.workload === workload)?.samples ?? [];
  const { shortages, degradedMs, downMs } = shortagesOf(samples, toMs);
  const peak = Math.max(1, ...samples.map(({ wanted, ready }) => Math.max(wanted, ready)));
  const x = (ms: number) => round(left + ((clamp(ms, fromMs, toMs) - fromMs) / Math.max(1, toMs - fromMs)) * plotWidth);
  const y = (count: number) => round(top + plotHeight * (1 - count / peak));
  const area = (of: (sample: PodSample) => number) => areaPath(samples, { of, x, y, toMs });
  const shownFaults = faults.slice(0, faultsMax);
  const height = heightOf(shownFaults.length);
  const cost = downMs > 0 ? `down for ${lengthInWords(downMs)}` : `degraded for ${lengthInWords(degradedMs)}`;
  const seams = shortages.flatMap(({ toMs: mendedMs }) => (mendedMs === undefined ? [] : [mendedMs]));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pictureWidth}" height="${height}" viewBox="0 0 ${pictureWidth} ${height}" role="img" aria-label="${escapeMarkup(`${title}: ${workload} was ${cost}`)}">`,
    `<style>${style}</style>`,
    `<defs><pattern id="missing" width="8" height="8" patternUnits="userSpaceOnUse"><path class="hatch" d="M0 8L8 0"/></pattern></defs>`,
    `<rect class="paper" width="${pictureWidth}" height="${height}"/>`,
    `<text class="title" x="${left}" y="22">${escapeMarkup(title)}</text>`,
    `<text x="${pictureWidth - right}" y="40" text-anchor="end">${escapeMarkup(`${workload}: ${cost}`)}</text>`,
    `<path class="wanted" d="${area(({ wanted }) => wanted)}"/>`,
    `<path class="ready" d="${area(({ ready, wanted }) => Math.min(ready, Math.max(wanted, ready)))}"/>`,
    `<path class="available" d="${area(({ available }) => available)}"/>`,
    ...seams.map((ms) => `<path class="seam" d="M${x(ms)} ${top - 4}V${top + plotHeight}"/>`),
    `<text x="4" y="${y(peak) + 10}">${peak}</text><text x="4" y="${y(0)}">0</text>`,
    `<path class="axis" d="M${left} ${y(0)}H${pictureWidth - right}"/>`,
    ...shownFaults.map((fault, index) => {
      const from = x(fault.fromMs);
      const barY = top + plotHeight + 6 + index * faultHeight;
      const wide = Math.max(3, round(x(fault.toMs ?? toMs) - from));
      const label = from > pictureWidth / 2 ? `x="${from - 6}" text-anchor="end"` : `x="${from + 6}"`;
      return `<rect class="fault" x="${from}" y="${barY}" width="${wide}" height="14"/><text ${label} y="${barY + 11}">${escapeMarkup(fault.text)}</text>`;
    }),
    ...ticksOf(toMs - fromMs).map(
      (ms) =>
        `<text x="${x(fromMs + ms)}" y="${height - 8}" text-anchor="middle">${ms === 0 ? "0" : minutesText(ms)}</text>`,
    ),
    "</svg>",
  ].join("");
}

const plotWidth = pictureWidth - left - right;

/** The height of a picture with this many bars of faults. */
function heightOf(faults: number): number {
  return top + plotHeight + 6 + faults * faultHeight + axisHeight;
}

interface AreaOptions {
  readonly of: (sample: PodSample) => number;
  readonly x: (ms: number) => number;
  readonly y: (count: number) => number;
  readonly toMs: number;
}

/** Draws steps instead of slopes, because a number of pods changes at one instant. */
function areaPath(samples: readonly PodSample[], { of, x, y, toMs }: AreaOptions): string {
  if (samples.length === 0) return "";
  const corners = samples.flatMap((sample, index) => {
    const untilMs = samples[index + 1]?.atMs ?? toMs;
    return [`L${x(sample.atMs)} ${y(of(sample))}`, `L${x(untilMs)} ${y(of(sample))}`];
  });
  return `M${x(samples[0]?.atMs ?? 0)} ${y(0)}${corners.join("")}L${x(toMs)} ${y(0)}Z`;
}

const tickSteps = [30_000, 60_000, 120_000, 300_000, 600_000];
const ticksMax = 9;

function ticksOf(lengthMs: number): number[] {
  const step = tickSteps.find((each) => lengthMs / each <= ticksMax) ?? Math.ceil(lengthMs / ticksMax);
  return Array.from({ length: Math.floor((lengthMs * 0.97) / step) + 1 }, (_, index) => index * step);
}

function minutesText(ms: number): string {
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${Math.round(ms / 1000)} s`;
}

export function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
