import type { RunningTimer } from "../model/running-timers.ts";
import { lengthText } from "../model/words.ts";
import { headHeight, type PlacedLane, type PlacedRow } from "./layout.ts";
import type { Frame } from "./frame.ts";
import { xOf } from "./scale.ts";

/** The positions of a frame's items. */
interface Places {
  readonly frame: Frame;
  /** The lanes in view, by their nodes. */
  readonly laneOf: ReadonlyMap<string, PlacedLane>;
  /** The right ends of the lanes' names and states. */
  readonly headEndOf: ReadonlyMap<string, number>;
  readonly rowOf: (node: string, row: number) => PlacedRow | undefined;
}

/** Draws a running timer from now to its end; it shrinks as now approaches the end. */
export function paintTimer(context: CanvasRenderingContext2D, runningTimer: RunningTimer, places: Places): void {
  const { frame } = places;
  const place = placeOf(runningTimer, places);
  if (place === undefined) return;
  const { scale, palette } = frame;
  const endX = Math.min(scale.width - 4, xOf(scale, runningTimer.atMs));
  const width = Math.max(3, endX - scale.nowX);
  context.strokeStyle = palette.accent;
  context.fillStyle = palette.accent;
  context.lineWidth = 1;
  context.setLineDash([3, 3]);
  context.strokeRect(scale.nowX + 0.5, place.y + 0.5, width, place.height - 1);
  context.setLineDash([]);
  context.globalAlpha = 0.12;
  context.fillRect(scale.nowX, place.y, width, place.height);
  context.globalAlpha = 1;
  if (place.height < 10) return;
  const left = runningTimer.atMs - scale.nowMs;
  const text = `${runningTimer.timer}: ${left <= 0 ? "due" : lengthText(left)}`;
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = palette.text;
  const needed = context.measureText(text).width + 12;
  const { about } = runningTimer;
  const freeX = about.kind === "Node" ? (places.headEndOf.get(about.name) ?? 0) : 0;
  const textX = timerTextX({ nowX: scale.nowX, endX: scale.nowX + width, needed, freeX });
  if (textX + needed <= scale.width + 12) context.fillText(text, textX, place.y + place.height / 2 + 0.5);
}

interface TextPlace {
  readonly nowX: number;
  /** The right end of the timer's frame. */
  readonly endX: number;
  /** Width of the text and its margins. */
  readonly needed: number;
  /** The end of the other texts in the line. */
  readonly freeX: number;
}

/**
 * A text that does not fit into the frame, to the right of other texts, is drawn behind the frame.
 */
export function timerTextX({ nowX, endX, needed, freeX }: TextPlace): number {
  const insideX = Math.max(nowX, freeX);
  return (insideX + needed <= endX ? insideX : Math.max(endX, freeX)) + 6;
}

function placeOf({ about }: RunningTimer, { frame, laneOf, rowOf }: Places): PlacedRow | undefined {
  if (about.kind === "Node") {
    const placed = laneOf.get(about.name);
    return placed && { y: placed.topY + 3, height: headHeight - 7 };
  }
  const bar = about.kind === "Pod" ? frame.barOf(about) : undefined;
  if (bar === undefined || !laneOf.has(bar.node) || !frame.shows(bar)) return undefined;
  const row = rowOf(bar.node, bar.row);
  if (row === undefined) return undefined;
  return { y: row.y, height: row.height - (row.height >= 8 ? 2 : 1) };
}
