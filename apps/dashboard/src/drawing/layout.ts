import type { Bar, Lane, Row } from "@kintsugi/story";

// A lane from top to bottom, with three rows, the second of which is folded:
//
//   head        the node's name and state
//   row 0       an existing pod
//   row 2       a pod that ended a moment ago; its row closes later
//   strip       the bars of folded rows in one thin line, so that ended pods remain visible

/**
 * The times by which rows open and close. They follow from the shown time, so that the fold is
 * visible.
 */
export interface Folding {
  readonly nowMs: number;
  /** Time after the end of a row's bars at which the row closes. */
  readonly foldMs: number;
  /** Time that a row takes to open or close. */
  readonly turnMs: number;
  /**
   * The time by which rows with ended bars close; it does not advance while people point at the
   * picture.
   */
  readonly closeNowMs: number;
}

/** The position of a lane in the whole picture, whether or not it is in view. */
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
  readonly folding: Folding;
}

/** The line with the node's name. */
export const headHeight = 24;
/** The line with the times, above all lanes. */
export const axisHeight = 24;
/** The line of folded rows. */
export const stripHeight = 4;
const laneGap = 8;
/** The lane of waiting pods is not opened for pods that get their node within this time. */
const waitShownMs = 1_000;

/**
 * Rows are lower the more rows there are. The height is chosen once, because a change would move
 * everything.
 */
export function rowHeightFor(pods: number): number {
  if (pods <= 60) return 18;
  return pods <= 1_000 ? 9 : 5;
}

/**
 * Places lanes below each other, each as high as its pods need. Lanes of nodes that no longer exist
 * fold, and so does the lane of waiting pods when it is empty.
 * @param topY the height of everything above the lanes
 */
export function layOut(
  lanes: readonly Lane[],
  { rowHeight, topY: firstY, folding }: { rowHeight: number; topY: number; folding: Folding },
): PictureLayout {
  let topY = firstY;
  const placed: PlacedLane[] = [];
  for (const lane of lanes) {
    const rows = openRowsOf(lane, folding);
    const openness = laneOpenness(lane, rows, folding);
    if (openness <= 0) continue;
    const height = (headHeight + Math.max(1, rows) * rowHeight + stripHeight) * openness;
    placed.push({ lane, topY, height });
    topY += height + laneGap * openness;
  }
  const laneOf = new Map(placed.map((each) => [each.lane.node, each]));
  return { lanes: placed, laneOf, rowHeight, height: topY, folding };
}

/** The open rows of a lane, and the times for which their number holds. */
interface OpenRows {
  readonly rows: number;
  /** The folding by which the rows were counted; its times are the earliest for which they hold. */
  readonly folding: Folding;
  readonly rowChanges: number;
  /** The value of `closeNowMs` at which the next row begins to close. */
  readonly closesMs: number;
}

/** The lanes whose rows do not turn. Every frame places all lanes, and few of them have changed. */
const restingLanes = new WeakMap<Lane, OpenRows>();

/** Returns the number of open rows; a row that opens or closes is counted in part. */
function openRowsOf(lane: Lane, folding: Folding): number {
  const resting = restingLanes.get(lane);
  if (resting !== undefined && holds(resting, lane, folding)) return resting.rows;
  let rows = 0;
  let closesMs = Infinity;
  let isResting = true;
  for (const row of lane.rows) {
    const openness = opennessOf(row, lane.node, folding);
    rows += openness;
    if (row.freeMs === Infinity) isResting &&= openForMs(row, lane.node, folding) >= folding.turnMs;
    else if (openness === 1) closesMs = Math.min(closesMs, row.freeMs + folding.foldMs);
    else isResting &&= openness === 0;
  }
  if (isResting) restingLanes.set(lane, { rows, folding, rowChanges: lane.rowChanges, closesMs });
  else restingLanes.delete(lane);
  return rows;
}

function holds({ folding: counted, rowChanges, closesMs }: OpenRows, lane: Lane, now: Folding): boolean {
  return (
    rowChanges === lane.rowChanges &&
    counted.foldMs === now.foldMs &&
    counted.turnMs === now.turnMs &&
    counted.nowMs <= now.nowMs &&
    counted.closeNowMs <= now.closeNowMs &&
    now.closeNowMs <= closesMs
  );
}

function laneOpenness(lane: Lane, rows: number, folding: Folding): number {
  if (lane.node === "") return Math.min(1, rows);
  const last = lane.spans.at(-1);
  return last?.state === "gone" ? Math.max(closing(last.fromMs, folding), Math.min(1, rows)) : 1;
}

/** Returns 1 for an open row, 0 for a folded row, and a fraction in between. */
function opennessOf(row: Row, node: string, folding: Folding): number {
  const { freeMs, restedMs } = row;
  if (freeMs !== Infinity) return closing(freeMs, folding);
  const openMs = openForMs(row, node, folding);
  if (openMs >= folding.turnMs) return 1;
  return Math.max(0, openMs / folding.turnMs, closing(restedMs, folding));
}

/** Returns the time since the row of an existing pod began to open. */
function openForMs({ takenMs }: Row, node: string, { nowMs }: Folding): number {
  return nowMs - takenMs - (node === "" ? waitShownMs : 0);
}

function closing(endMs: number, { closeNowMs, foldMs, turnMs }: Folding): number {
  return 1 - Math.min(1, Math.max(0, (closeNowMs - endMs - foldMs) / turnMs));
}

export interface PlacedRow {
  readonly y: number;
  readonly height: number;
}

/** The upper edges and heights of a lane's rows; folded rows are in the strip below. */
export function rowsOf(placed: PlacedLane, { rowHeight, folding }: PictureLayout): PlacedRow[] {
  const { lane, topY, height } = placed;
  const stripY = topY + height - stripHeight;
  let y = topY + headHeight;
  return lane.rows.map((row) => {
    const openness = opennessOf(row, lane.node, folding);
    if (openness <= 0) return { y: stripY, height: stripHeight };
    const own = { y, height: Math.max(stripHeight, rowHeight * openness) };
    y += rowHeight * openness;
    return own;
  });
}

/** Finds the lanes that a window of the picture shows. */
export function lanesWithin({ lanes }: PictureLayout, topY: number, bottomY: number): readonly PlacedLane[] {
  return lanes.filter((placed) => placed.topY + placed.height >= topY && placed.topY <= bottomY);
}

/** Finds the lane, and the bar if there is one, at a point of the picture. */
export function findAt(
  layout: PictureLayout,
  context: { y: number; timeMs: number },
): { lane: Lane; bar: Bar | undefined } | undefined {
  const placed = layout.lanes.find(({ topY, height }) => context.y >= topY && context.y < topY + height);
  if (placed === undefined) return undefined;
  const rows = rowsOf(placed, layout);
  const bar = placed.lane.bars.findLast((each) => {
    const row = rows[each.row];
    const isInRow = row !== undefined && context.y >= row.y && context.y < row.y + row.height;
    return isInRow && each.fromMs <= context.timeMs && (each.toMs ?? Infinity) >= context.timeMs;
  });
  return { lane: placed.lane, bar };
}
