import { type Bar, type Span, stateOf } from "@kintsugi/story";
import { clockText, nodeTextInFull, zonedClockText } from "../model/words.ts";
import { axisHeight, headHeight, lanesWithin, type PlacedLane, type PlacedRow, rowsOf } from "./layout.ts";
import type { Frame } from "./frame.ts";
import { paintTimer } from "./paint-timer.ts";
import { aboveLanes, paintPods } from "./paint-pods.ts";
import { paintNodeSeams, paintSeam } from "./paint-seams.ts";
import type { Palette } from "./palette.ts";
import { ticksOf, timeAt, xOf } from "./scale.ts";

type Context = CanvasRenderingContext2D;

/** Lower rows have no room for a name. */
const namedRowHeight = 12;
const font = "12px system-ui, sans-serif";
const smallFont = "11px system-ui, sans-serif";

/** Draws a frame; items outside of the window are skipped. */
export function paint(context: Context, frame: Frame): void {
  const { scale, scrollY, height, layout } = frame;
  context.clearRect(0, 0, scale.width, height);
  context.save();
  context.translate(0, -scrollY);
  context.textBaseline = "middle";
  const lanes = lanesWithin(layout, scrollY, scrollY + height);
  const rowsByLane = new Map<string, readonly PlacedRow[]>();
  /** Rows are placed only for the drawn lanes, because there may be thousands of other lanes. */
  const rowOf = (node: string, row: number) => {
    const placed = layout.laneOf.get(node);
    if (placed === undefined) return undefined;
    const rows = rowsByLane.get(node) ?? rowsOf(placed, layout);
    rowsByLane.set(node, rows);
    return rows[row];
  };
  paintGrid(context, frame);
  for (const placed of lanes) paintLane(context, placed, { frame, rowOf });
  for (const replacement of frame.replacements) paintSeam(context, replacement, { frame, rowOf });
  const heads = lanes.flatMap((placed) => laneHead(context, placed, frame) ?? []);
  const laneOf = new Map(lanes.map((placed) => [placed.lane.node, placed]));
  const headEndOf = new Map(heads.map(({ node, endX }) => [node, endX]));
  for (const runningTimer of frame.runningTimers)
    paintTimer(context, runningTimer, { frame, laneOf, headEndOf, rowOf });
  paintNow(context, frame, { fromY: scrollY, toY: scrollY + height });
  // A node's name is not crossed by the line of the present time.
  for (const head of heads) paintLaneHead(context, head, frame);
  context.restore();
  if (frame.isPast === true) coverLater(context, frame);
  context.textBaseline = "middle";
  paintPods(context, frame);
  paintAxis(context, frame);
  paintNow(context, frame, { fromY: axisHeight, toY: aboveLanes });
}

/** Bars and seams of a later time are not shown at an earlier time. */
function coverLater(context: Context, { scale, height, palette }: Frame): void {
  context.fillStyle = palette.surface;
  context.fillRect(scale.nowX + 1.5, 0, scale.width, height);
}

type RowOf = (node: string, row: number) => PlacedRow | undefined;

function paintGrid(context: Context, { scale, scrollY, height, palette }: Frame): void {
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.beginPath();
  for (const tick of ticksOf(scale)) {
    const x = Math.round(xOf(scale, tick)) + 0.5;
    context.moveTo(x, scrollY);
    context.lineTo(x, scrollY + height);
  }
  context.stroke();
}

/** Draws the labels of times, and the label of the present time. */
export function paintAxis(context: Context, { scale, palette }: Pick<Frame, "scale" | "palette">): void {
  context.font = smallFont;
  context.textAlign = "center";
  context.textBaseline = "middle";
  // The label of the present time remains within the picture.
  const nowLabelX = Math.min(Math.max(scale.nowX, 58), scale.width - 58);
  for (const tick of ticksOf(scale)) {
    const x = xOf(scale, tick);
    if (Math.abs(x - nowLabelX) < 95 || x < 30 || x > scale.width - 30) continue;
    context.fillStyle = palette.muted;
    context.fillText(clockText(tick), x, axisHeight / 2);
  }
  context.fillStyle = palette.accent;
  context.font = `600 ${smallFont}`;
  context.fillText(`now ${zonedClockText(scale.nowMs)}`, nowLabelX, axisHeight / 2);
  context.textAlign = "left";
}

function paintNow(
  context: Context,
  { scale, palette }: Frame,
  { fromY, toY }: { readonly fromY: number; readonly toY: number },
): void {
  context.strokeStyle = palette.accent;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(scale.nowX + 0.5, fromY);
  context.lineTo(scale.nowX + 0.5, toY);
  context.stroke();
}

function paintLane(context: Context, placed: PlacedLane, { frame, rowOf }: { frame: Frame; rowOf: RowOf }): void {
  const { lane, topY, height } = placed;
  const { scale, palette } = frame;
  lane.spans.forEach(({ fromMs, state, isCordoned, evicts }, i) => {
    const fromX = Math.max(0, xOf(scale, fromMs));
    const toX = Math.min(scale.nowX, xOf(scale, lane.spans[i + 1]?.fromMs ?? scale.nowMs));
    if (toX <= fromX) return;
    if (state === "silent" || state === "notReady") {
      context.fillStyle = state === "silent" ? palette.silent : palette.notReady;
      context.fillRect(fromX, topY, toX - fromX, height);
    }
    if (evicts || isCordoned) {
      context.fillStyle = evicts ? palette.bad : palette.muted;
      context.fillRect(fromX, topY, toX - fromX, 2);
    }
  });
  const leftMs = timeAt(scale, 0);
  for (const bar of lane.bars) {
    if ((bar.toMs ?? Infinity) < leftMs || bar.fromMs > scale.nowMs || !frame.shows(bar)) continue;
    const row = rowOf(lane.node, bar.row);
    if (row !== undefined) paintBar(context, { bar, row }, frame);
  }
  paintNodeSeams(context, placed, frame);
}

/** The texts of a lane's head, and their places. */
interface LaneHead {
  readonly node: string;
  readonly name: string;
  readonly words: string;
  readonly wordsX: number;
  readonly endX: number;
  readonly y: number;
  readonly isWell: boolean;
}

function laneHead(context: Context, { lane, topY, height }: PlacedLane, frame: Frame): LaneHead | undefined {
  const { nameX, scale, runningTimers } = frame;
  if (height < headHeight) return undefined;
  const { node } = lane;
  const span = spanAt(lane, scale.nowMs);
  const name = node === "" ? "Pending: no node yet" : node;
  context.font = `600 ${font}`;
  const nameEndX = nameX + context.measureText(name).width;
  const wordsX = nameEndX + 10;
  context.font = font;
  const words = headWords(lane, frame);
  const endOf = () => (words.length === 0 ? nameEndX : wordsX + context.measureText(words.join(", ")).width);
  // A timer of the node begins at the present time, and has its own text.
  const hasTimer = runningTimers.some(({ about }) => about.kind === "Node" && about.name === node);
  const untilX = hasTimer ? scale.nowX : scale.width;
  while (words.length > 0 && endOf() > untilX - 4) words.pop();
  const isWell = span === undefined || span.state === "ready";
  return { node, name, words: words.join(", "), wordsX, endX: endOf(), y: topY + headHeight / 2 - 1, isWell };
}

/** A plate under the texts makes them readable where a timer begins left of their end. */
function paintLaneHead(context: Context, head: LaneHead, { palette, nameX, scale }: Frame): void {
  const { name, words, wordsX, endX, y, isWell } = head;
  if (endX > scale.nowX) {
    context.fillStyle = palette.surface;
    context.globalAlpha = 0.85;
    context.fillRect(nameX - 3, y - 8, endX - nameX + 6, 16);
    context.globalAlpha = 1;
  }
  context.font = `600 ${font}`;
  context.fillStyle = palette.text;
  context.fillText(name, nameX, y);
  context.font = font;
  context.fillStyle = isWell ? palette.muted : palette.bad;
  context.fillText(words, wordsX, y);
}

/** The state of a node at a time. */
function spanAt({ spans }: PlacedLane["lane"], nowMs: number): PlacedLane["lane"]["spans"][number] | undefined {
  return spans.findLast(({ fromMs }) => fromMs <= nowMs) ?? spans.at(-1);
}

function headWords(lane: PlacedLane["lane"], { shows, scale, isPast = false }: Frame): string[] {
  const { bars } = lane;
  const span = spanAt(lane, scale.nowMs);
  if (span === undefined) return [];
  // The pods that were due for eviction at that time have been evicted in the meantime.
  const mustGo =
    span.evicts && !isPast
      ? bars.filter((bar) => bar.toMs === undefined && shows(bar) && stateOf(bar) !== "terminating").length
      : 0;
  return [
    nodeTextInFull(span.state),
    ...(span.isCordoned ? ["SchedulingDisabled (cordoned)"] : []),
    ...(mustGo > 0 ? [`${mustGo} of its pods will be evicted`] : []),
  ];
}

function paintBar(context: Context, { bar, row }: { bar: Bar; row: PlacedRow }, frame: Frame): void {
  const { scale, palette } = frame;
  const { y } = row;
  const height = row.height - (row.height >= 8 ? 2 : 1);
  bar.spans.forEach((span, i) => {
    const toMs = bar.spans[i + 1]?.fromMs ?? bar.toMs ?? scale.nowMs;
    const fromX = Math.max(-2, xOf(scale, span.fromMs));
    const toX = xOf(scale, toMs);
    if (toX >= 0) paintSpan(context, { span, fromX, width: Math.max(1, toX - fromX), y, height }, palette);
  });
  if (row.height >= namedRowHeight) paintMarksAndName(context, { bar, y, height }, frame);
  if (bar !== frame.chosen) return;
  const fromX = Math.max(0, xOf(scale, bar.fromMs));
  context.strokeStyle = palette.text;
  context.lineWidth = 2;
  context.strokeRect(fromX, y, Math.max(2, xOf(scale, bar.toMs ?? scale.nowMs) - fromX), height);
}

interface PlacedSpan {
  readonly span: Span;
  readonly fromX: number;
  readonly width: number;
  readonly y: number;
  readonly height: number;
}

/** Shapes differ with the colors, for people who cannot distinguish the colors. */
function paintSpan(context: Context, { span, fromX, width, y, height }: PlacedSpan, palette: Palette): void {
  const colour = palette.states[span.state];
  context.fillStyle = colour;
  switch (span.state) {
    case "ready":
      return context.fillRect(fromX, y, width, height);
    case "unready":
    case "starting":
    case "pending":
    case "succeeded": {
      const inset = Math.floor(height / 4);
      return context.fillRect(fromX, y + inset, width, height - inset * 2);
    }
    case "waiting":
      for (let x = fromX; x < fromX + width; x += 6)
        context.fillRect(x, y + height / 4, Math.min(3, fromX + width - x), height / 2);
      return;
    case "terminating":
    case "failed": {
      context.fillRect(fromX, y + height - Math.max(2, height / 4), width, Math.max(2, height / 4));
      context.globalAlpha = 0.25;
      context.fillRect(fromX, y, width, height);
      context.globalAlpha = 1;
    }
  }
}

function paintMarksAndName(
  context: Context,
  { bar, y, height }: { bar: Bar; y: number; height: number },
  frame: Frame,
) {
  const { scale, palette } = frame;
  for (const { atMs, is } of bar.marks) {
    const x = xOf(scale, atMs);
    if (x < 0 || is === "restarted") continue;
    context.fillStyle = palette.bad;
    context.beginPath();
    context.moveTo(x - 4, y);
    context.lineTo(x + 4, y);
    context.lineTo(x, y + 7);
    context.fill();
  }
  const fromX = Math.max(0, xOf(scale, bar.fromMs));
  const toX = Math.min(scale.nowX, xOf(scale, bar.toMs ?? scale.nowMs));
  context.font = smallFont;
  const text = fitted(context, bar.name, toX - fromX - 12);
  if (text === "") return paintNameAhead(context, { bar, y, height }, frame);
  // A plate under the name makes it readable on each color and pattern.
  context.fillStyle = palette.surface;
  context.globalAlpha = 0.8;
  context.fillRect(fromX + 4, y + 1, context.measureText(text).width + 6, height - 2);
  context.globalAlpha = 1;
  context.fillStyle = palette.text;
  context.fillText(text, fromX + 7, y + height / 2 + 0.5);
}

/** The name of a young pod is to the right of the present time, if the pod has no running timer. */
function paintNameAhead(
  context: Context,
  { bar, y, height }: { bar: Bar; y: number; height: number },
  { scale, palette, runningTimers }: Frame,
): void {
  if (bar.toMs !== undefined) return;
  const hasTimer = runningTimers.some(({ about }) => about.namespace === bar.namespace && about.name === bar.name);
  const text = hasTimer ? "" : fitted(context, bar.name, scale.width - scale.nowX - 16);
  context.fillStyle = palette.muted;
  context.fillText(text, scale.nowX + 8, y + height / 2 + 0.5);
}

/** Cuts a name in its middle, because the ends of pods' names differ. */
function fitted(context: Context, text: string, width: number): string {
  if (width < 40) return "";
  if (context.measureText(text).width <= width) return text;
  const letters = Math.floor(width / 7) - 1;
  const tail = Math.min(6, Math.floor(letters / 2));
  return letters < 6 ? "" : `${text.slice(0, letters - tail)}…${text.slice(-tail)}`;
}
