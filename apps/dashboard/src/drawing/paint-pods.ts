import type { PodSample } from "@kintsugi/story";
import type { Frame, PodsOverTime } from "./frame.ts";
import { axisHeight } from "./layout.ts";
import { timeAt, type TimeScale, xOf } from "./scale.ts";

// Pods over time, above the lanes and by the same scale:
//
//   6 of 6 pods            the counts now
//   ########___#########   available, counted as Ready but not running, missing
//   ----[ node-2 silent ]  a bar for each fault

const chartHeight = 40;
const faultHeight = 12;
const gap = 6;
/** The total height, including the time axis. */
export const aboveLanes = axisHeight + chartHeight + faultHeight + gap;
const font = "11px system-ui, sans-serif";

type Context = CanvasRenderingContext2D;
/** The parts of a frame that the counts and faults need. */
type PodsFrame = Pick<Frame, "scale" | "palette" | "pods">;

/** Draws the counts of pods, and the faults below them; the future of a recording is faint. */
export function paintPods(context: Context, frame: PodsFrame): void {
  const { scale, palette, pods } = frame;
  const bottomY = axisHeight + chartHeight;
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, scale.width, aboveLanes - 2);
  let peak = 1;
  for (const { wanted, ready } of pods.samples) peak = Math.max(peak, wanted, ready);
  const columns = columnsOf(pods.samples, scale);
  const layers = [
    [palette.states.failed, (sample: PodSample) => Math.max(sample.wanted, sample.ready)],
    [palette.states.pending, ({ ready }: PodSample) => ready],
    [palette.states.ready, ({ available }: PodSample) => available],
  ] as const;
  for (const [colour, count] of layers) {
    context.fillStyle = colour;
    for (const { fromX, toX, sample } of columns) {
      const height = (count(sample) / peak) * chartHeight;
      context.fillRect(fromX, bottomY - height, toX - fromX, height);
    }
  }
  hatchMissing(context, { columns, peak, bottomY }, frame);
  context.strokeStyle = palette.line;
  context.strokeRect(-1, bottomY + 0.5, scale.width + 2, 0);
  for (const fault of pods.faults) paintFault(context, fault, { frame, y: bottomY + 2 });
  fadeFuture(context, frame);
  // Faults that overlap share one bar, on which the name of the first fault has precedence.
  let namedToX = -Infinity;
  for (const fault of pods.faults.toSorted((a, b) => a.fromMs - b.fromMs))
    namedToX = paintFaultName(context, fault, { frame, y: bottomY + 2 + faultHeight / 2, namedToX });
  paintCount(context, { columns, bottomY }, frame);
}

/** Writes the present counts next to the line of the present time. */
function paintCount(
  context: Context,
  { columns, bottomY }: { columns: readonly Column[]; bottomY: number },
  { scale, palette }: PodsFrame,
): void {
  const now = columns.findLast(({ sample }) => sample.atMs <= scale.nowMs)?.sample;
  if (now === undefined) return;
  const lines = [`${now.available} of ${Math.max(now.wanted, now.ready)} pods`, "available"];
  context.font = font;
  const width = Math.max(...lines.map((line) => context.measureText(line).width));
  const x = scale.nowX + 8 + width > scale.width ? scale.nowX - width - 8 : scale.nowX + 8;
  context.fillStyle = palette.surface;
  context.globalAlpha = 0.85;
  context.fillRect(x - 3, bottomY - chartHeight + 4, width + 6, 30);
  context.globalAlpha = 1;
  lines.forEach((line, i) => {
    context.fillStyle = i === 0 ? palette.text : palette.muted;
    context.fillText(line, x, bottomY - chartHeight + 12 + i * 14);
  });
}

interface Column {
  readonly fromX: number;
  readonly toX: number;
  readonly sample: PodSample;
}

/**
 * The samples in view; of the samples that share a pixel, the sample with the fewest available
 * pods.
 */
function columnsOf(samples: readonly PodSample[], scale: TimeScale): Column[] {
  const columns: Column[] = [];
  const leftMs = timeAt(scale, 0);
  for (const [i, sample] of samples.entries()) {
    const toMs = samples[i + 1]?.atMs ?? Math.max(scale.nowMs, sample.atMs);
    if (toMs < leftMs) continue;
    const fromX = Math.max(0, xOf(scale, sample.atMs));
    const toX = Math.min(scale.width, xOf(scale, toMs));
    if (fromX > scale.width) break;
    const last = columns.at(-1);
    if (last !== undefined && toX - last.fromX < 1) {
      const worst = sample.wanted - sample.available > last.sample.wanted - last.sample.available;
      columns[columns.length - 1] = { fromX: last.fromX, toX, sample: worst ? sample : last.sample };
    } else columns.push({ fromX, toX, sample });
  }
  return columns;
}

/** Stripes over missing pods, for people who cannot distinguish the colors. */
function hatchMissing(
  context: Context,
  { columns, peak, bottomY }: { columns: readonly Column[]; peak: number; bottomY: number },
  { palette }: PodsFrame,
): void {
  context.save();
  context.beginPath();
  for (const { fromX, toX, sample } of columns) {
    const [high, low] = [sample.wanted, sample.ready].map((count) => bottomY - (count / peak) * chartHeight);
    if (high !== undefined && low !== undefined && low > high) context.rect(fromX, high, toX - fromX, low - high);
  }
  context.clip();
  context.strokeStyle = palette.surface;
  context.lineWidth = 1.5;
  context.beginPath();
  const rightX = columns.at(-1)?.toX ?? 0;
  for (let x = -chartHeight; x < rightX; x += 7) {
    context.moveTo(x, bottomY);
    context.lineTo(x + chartHeight, bottomY - chartHeight);
  }
  context.stroke();
  context.restore();
}

interface FaultPlace {
  readonly frame: PodsFrame;
  readonly y: number;
}

type Fault = PodsOverTime["faults"][number];

function edgesOf({ fromMs, toMs }: Fault, { scale }: PodsFrame): { fromX: number; toX: number } {
  const fromX = Math.max(0, xOf(scale, fromMs));
  return { fromX, toX: Math.min(scale.width, Math.max(fromX + 3, xOf(scale, toMs ?? scale.nowMs))) };
}

function paintFault(context: Context, fault: Fault, { frame, y }: FaultPlace): void {
  const { fromX, toX } = edgesOf(fault, frame);
  if (toX <= 0 || fromX >= frame.scale.width) return;
  context.fillStyle = frame.palette.bad;
  context.fillRect(fromX, y, toX - fromX, faultHeight);
}

/**
 * The name is on the past part, or on the faint future part, and never crosses the line of the
 * present time or another name. @returns the right end of the names so far
 */
function paintFaultName(
  context: Context,
  fault: Fault,
  { frame, y, namedToX }: FaultPlace & { namedToX: number },
): number {
  const { scale, palette } = frame;
  const { fromX, toX } = edgesOf(fault, frame);
  context.font = font;
  const width = context.measureText(fault.text).width + 8;
  const freeX = Math.max(fromX, namedToX);
  const isPast = Math.min(toX, scale.nowX) - freeX >= width;
  const x = isPast ? freeX : Math.max(freeX, scale.nowX);
  if (!isPast && toX - x < width) return namedToX;
  context.fillStyle = isPast ? palette.surface : palette.text;
  context.fillText(fault.text, x + 4, y + 0.5);
  return x + width;
}

/** A recording shows its whole run; its future part is faint. */
function fadeFuture(context: Context, { scale, palette }: PodsFrame): void {
  context.globalAlpha = 0.72;
  context.fillStyle = palette.surface;
  context.fillRect(scale.nowX + 1, axisHeight, scale.width, aboveLanes - axisHeight - 2);
  context.globalAlpha = 1;
}
