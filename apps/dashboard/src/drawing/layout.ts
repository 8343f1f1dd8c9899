import type { Bar, Lane } from "@kintsugi/story";

/** The place of a lane in the whole picture, whether or not it is in view. */
export interface PlacedLane {
  readonly lane: Lane;
  readonly topY: number;
  readonly height: number;
}

export interface PictureLayout {
  readonly lanes: readonly PlacedLane[];
  /** The same lanes by their nodes. */
  readonly laneOf: ReadonlyMap<string, PlacedLane>;
  readonly rowHeight: number;
  readonly height: number;
}

/** The line with the node's name. */
export const headHeight = 20;
/** The line with the times, above all lanes. */
export const axisHeight = 24;
const laneGap = 8;
/** Lanes grow by so many rows at once: each growth moves the lanes below. */
const rowsAtOnce = 4;
const rowsMin = 2;

/** Rows are lower the more of them there are, chosen once: a change would move everything. */
export function rowHeightFor(pods: number): number {
  if (pods <= 60) return 18;
  return pods <= 1_000 ? 9 : 5;
}

/** Places lanes below each other; without waiting pods their lane takes no room. */
export function layOut(lanes: readonly Lane[], rowHeight: number): PictureLayout {
  let topY = axisHeight;
  const placed: PlacedLane[] = [];
  for (const lane of lanes) {
    if (lane.node === "" && lane.bars.length === 0) continue;
    const rows =
      lane.node === "" ? Math.max(1, lane.rows) : Math.max(rowsMin, Math.ceil(lane.rows / rowsAtOnce) * rowsAtOnce);
    const height = headHeight + rows * rowHeight;
    placed.push({ lane, topY, height });
    topY += height + laneGap;
  }
  return { lanes: placed, laneOf: new Map(placed.map((each) => [each.lane.node, each])), rowHeight, height: topY };
}

/** The upper edge of a bar. */
export function barY({ topY }: Pick<PlacedLane, "topY">, row: number, rowHeight: number): number {
  return topY + headHeight + row * rowHeight;
}

/** Finds the lanes that a window of the picture shows. */
export function lanesWithin({ lanes }: PictureLayout, topY: number, bottomY: number): readonly PlacedLane[] {
  return lanes.filter((placed) => placed.topY + placed.height >= topY && placed.topY <= bottomY);
}

/** Finds the lane, and the bar if there is one, at a point of the picture. */
export function findAt(
  layout: PictureLayout,
  at: { y: number; timeMs: number },
): { lane: Lane; bar: Bar | undefined } | undefined {
  const placed = layout.lanes.find(({ topY, height }) => at.y >= topY && at.y < topY + height);
  if (placed === undefined) return undefined;
  const row = Math.floor((at.y - placed.topY - headHeight) / layout.rowHeight);
  const bar = placed.lane.bars.findLast(
    (each) => each.row === row && each.fromMs <= at.timeMs && (each.toMs ?? Infinity) >= at.timeMs,
  );
  return { lane: placed.lane, bar };
}
