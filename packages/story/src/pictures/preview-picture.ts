import { lengthInWords } from "@kintsugi/api";
import { type PodSample, shortagesOf } from "../pod-counts.ts";
import type { StoryRecording } from "../recording/story-recording.ts";
import { type Color, Raster, textWidth } from "./raster.ts";
import { clamp } from "./run-picture.ts";

// The preview of a run in the size that networks show, 1200 × 630:
//
//   Kintsugi                                    web: 4 of 6
//   node-dead
//   degraded for 5 min 49 s
//   ▇▇▇▇▇▇▇▇▁▁▁▁▁▁▁▁▁▁▁│▇▇▇▇▇▇▇▇   available, Ready in the API, missing; │ a gold seam
//        ▂▂▂▂▂▂▂▂▂▂▂▂▂ kill node
//   0                             10 min

export const previewWidth = 1200;
export const previewHeight = 630;
const [left, right, top, bottom] = [60, 1140, 230, 480];
/** More bars of faults do not fit. */
const faultsMax = 2;
const faultHeight = 42;

const ink: Color = [28, 35, 48];
const dim: Color = [91, 102, 117];
const paper: Color = [255, 255, 255];
const line: Color = [217, 222, 229];
const good: Color = [58, 163, 143];
const seen: Color = [155, 176, 201];
const bad: Color = [214, 69, 69];
const fault: Color = [245, 214, 168];
const gold: Color = [200, 148, 42];

interface PreviewedRun {
  readonly recording: Pick<StoryRecording, "fromMs" | "toMs" | "pods" | "faults" | "title">;
  readonly workload: string;
}

/** Draws the pods of a workload over time, for social networks, which do not show SVG. */
export function previewPicture({ recording, workload }: PreviewedRun): Raster {
  const { fromMs, toMs, pods = [], faults = [], title } = recording;
  const samples = pods.find((each) => each.workload === workload)?.samples ?? [];
  const { shortages, degradedMs, downMs } = shortagesOf(samples, toMs);
  const peak = Math.max(1, ...samples.map(({ wanted, ready }) => Math.max(wanted, ready)));
  const x = (ms: number) => left + ((clamp(ms, fromMs, toMs) - fromMs) / Math.max(1, toMs - fromMs)) * (right - left);
  const raster = new Raster({ width: previewWidth, height: previewHeight, ground: paper });
  raster.text("Kintsugi", { x: left, y: 78, size: 24, color: gold, isBold: true });
  raster.text(fitted(title, 40), { x: left, y: 144, size: 40, color: ink, isBold: true });
  const cost = downMs > 0 ? `down for ${lengthInWords(downMs)}` : `degraded for ${lengthInWords(degradedMs)}`;
  raster.text(fitted(`${workload}: ${cost}`, 30), { x: left, y: 200, size: 30, color: dim });
  for (const [index, sample] of samples.entries())
    drawSample(raster, sample, {
      peak,
      fromX: x(sample.atMs),
      toX: x(samples[index + 1]?.atMs ?? toMs),
    });
  raster.fill({ x: left, y: bottom, width: right - left, height: 3 }, line);
  for (const { toMs: mendedMs } of shortages)
    if (mendedMs !== undefined)
      raster.line(
        [
          [x(mendedMs), top - 8],
          [x(mendedMs), bottom],
        ],
        { color: gold, width: 8 },
      );
  for (const [index, each] of faults.slice(0, faultsMax).entries()) {
    const y = bottom + 14 + index * faultHeight;
    const fromX = x(each.fromMs);
    raster.fill({ x: fromX, y, width: Math.max(6, x(each.toMs ?? toMs) - fromX), height: faultHeight - 8 }, fault);
    const isRight = fromX > (left + right) / 2;
    const at = isRight ? fromX - 10 : fromX + 10;
    raster.text(fitted(each.text, 20), { x: at, y: y + 26, size: 20, color: ink, align: isRight ? "right" : "left" });
  }
  raster.text("0", { x: left, y: 606, size: 20, color: dim });
  raster.text(lengthInWords(toMs - fromMs), { x: right, y: 606, size: 20, color: dim, align: "right" });
  return raster;
}

interface SampleOptions {
  readonly peak: number;
  readonly fromX: number;
  readonly toX: number;
}

/**
 * A sample as layers: the missing pods, the pods that are Ready in the API, and the available pods.
 */
function drawSample(
  raster: Raster,
  { wanted, ready, available }: PodSample,
  { peak, fromX, toX }: SampleOptions,
): void {
  const box = (count: number) => {
    const height = ((bottom - top) * count) / peak;
    return { x: fromX, y: bottom - height, width: toX - fromX, height };
  };
  raster.fill(box(wanted), bad, (x, y) => (x + y) % 16 < 6);
  raster.fill(box(ready), seen);
  raster.fill(box(available), good);
}

/** Cuts a text that is wider than the picture. */
function fitted(text: string, size: number): string {
  if (textWidth(text, size) <= right - left) return text;
  let shown = "";
  for (const character of text) {
    if (textWidth(`${shown}${character}...`, size) > right - left) break;
    shown += character;
  }
  return `${shown}...`;
}
