import type { Replacement } from "@kintsugi/story";
import type { Frame } from "./frame.ts";
import { headHeight, type PlacedLane, type PlacedRow } from "./layout.ts";
import type { Palette } from "./palette.ts";
import { type TimeScale, xOf } from "./scale.ts";

// Kintsugi: a broken bowl is repaired with gold, and the seam remains visible. A seam leads from a
// dead pod to its successor, and from a node's death to its return.

type Context = CanvasRenderingContext2D;

/** The positions of both ends of a seam. */
type RowOf = (node: string, row: number) => PlacedRow | undefined;

/** Draws the seam from a lost pod to its successor. */
export function paintSeam(
  context: Context,
  { lost, lostMs, next }: Replacement,
  { frame, rowOf }: { frame: Frame; rowOf: RowOf },
): void {
  const { scale, palette, scrollY, height } = frame;
  const [fromX, toX] = [xOf(scale, lostMs), xOf(scale, next.fromMs)];
  if (toX < 0 || fromX > scale.width || !frame.shows(lost) || !frame.shows(next)) return;
  const [from, to] = [rowOf(lost.node, lost.row), rowOf(next.node, next.row)];
  if (from === undefined || to === undefined) return;
  const [fromY, toY] = [from.y + from.height / 2, to.y + to.height / 2];
  if (Math.max(fromY, toY) < scrollY || Math.min(fromY, toY) > scrollY + height) return;
  strokeSeam(context, palette, () => {
    context.moveTo(fromX, fromY);
    // A seam has the kinks of a crack.
    const middleY = (fromY + toY) / 2;
    const bend = Math.max(10, Math.min(28, (toX - fromX) * 0.4));
    context.bezierCurveTo(fromX - bend * 0.2, fromY, fromX - bend, (fromY * 2 + toY) / 3, fromX - bend * 0.5, middleY);
    context.bezierCurveTo(fromX, middleY, toX - bend, (fromY + toY * 2) / 3, toX, toY);
  });
  context.fillStyle = palette.gold;
  context.beginPath();
  context.arc(fromX, fromY, 2.5, 0, Math.PI * 2);
  context.fill();
  // The successor keeps its golden edge as long as the history exists.
  context.fillRect(toX - 1, to.y, 3, Math.max(2, to.height - 2));
}

/** Draws the seam of a node from its death to its return, in the line of its name. */
export function paintNodeSeams(context: Context, { lane, topY }: PlacedLane, { scale, palette }: Frame): void {
  lane.spans.forEach(({ state, fromMs }, i) => {
    if (state !== "silent" || lane.spans[i - 1]?.state === "silent") return;
    const back = lane.spans.slice(i).find((span) => span.state === "ready");
    const fromX = xOf(scale, fromMs);
    const toX = Math.min(scale.nowX, xOf(scale, back?.fromMs ?? scale.nowMs));
    if (toX < 0 || fromX > scale.width) return;
    const y = topY + headHeight - 4;
    if (back === undefined) return crack(context, { scale, palette }, { fromX, toX, y });
    strokeSeam(context, palette, () => zigzag(context, { fromX, toX, y }));
    context.fillStyle = palette.gold;
    for (const x of [fromX, toX]) {
      context.beginPath();
      context.arc(x, y, 3, 0, Math.PI * 2);
      context.fill();
    }
  });
}

/** A node that is still down has a crack without gold. */
function crack(
  context: Context,
  { palette }: { scale: TimeScale; palette: Palette },
  line: { fromX: number; toX: number; y: number },
): void {
  context.strokeStyle = palette.bad;
  context.lineWidth = 1.5;
  context.beginPath();
  zigzag(context, line);
  context.stroke();
}

/**
 * The points of a crack are derived from its position, so that they do not move while time
 * advances.
 */
function zigzag(context: Context, { fromX, toX, y }: { fromX: number; toX: number; y: number }): void {
  context.moveTo(fromX, y);
  let up = true;
  for (let x = fromX + 14; x < toX; x += 14) {
    context.lineTo(x, y + (up ? -2.5 : 2.5));
    up = !up;
  }
  context.lineTo(toX, y);
}

/** A line of gold with an edge, so that it stands out from bars of every color. */
function strokeSeam(context: Context, palette: Palette, path: () => void): void {
  context.lineJoin = "round";
  context.lineCap = "round";
  for (const [colour, width] of [
    [palette.surface, 4.5],
    [palette.gold, 2.25],
  ] as const) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    path();
    context.stroke();
  }
  context.lineCap = "butt";
}
