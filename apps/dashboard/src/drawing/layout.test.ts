import type { Lane, Bar } from "@kintsugi/story";
import { expect, test } from "vitest";
import { headHeight, layOut, rowsOf, stripHeight, findAt } from "./layout.ts";

const row = (takenMs: number, freeMs = Infinity, restedMs = -Infinity) => ({ takenMs, freeMs, restedMs });
const lane = (node: string, rows: Lane["rows"], state: "ready" | "gone" = "ready"): Lane => ({
  node,
  spans: [{ fromMs: 0, state, isCordoned: false, evicts: false }],
  bars: [],
  rows,
  rowChanges: 0,
});
const at = (nowMs: number, closeNowMs = nowMs) => ({ nowMs, closeNowMs, foldMs: 1_000, turnMs: 100 });
const heights = (nowMs: number, lanes: Lane[], closeNowMs = nowMs) =>
  layOut(lanes, { rowHeight: 10, topY: 0, folding: at(nowMs, closeNowMs) }).lanes.map(({ height }) => height);
const plain = headHeight + stripHeight;

test("a lane is as high as its pods need, and at least one row high", () => {
  expect(heights(9_000, [lane("n1", [row(0), row(0), row(0)]), lane("n2", [])])).toEqual([plain + 30, plain + 10]);
});

test("the row of an ended pod folds some time after its end, and the rows below it move up with it", () => {
  const one = lane("n1", [row(0), row(0, 5_000), row(0)]);
  expect([6_000, 6_050, 6_100].map((nowMs) => heights(nowMs, [one])[0])).toEqual([plain + 30, plain + 25, plain + 20]);
  const layout = layOut([one], { rowHeight: 10, topY: 0, folding: at(7_000) });
  const [placed] = layout.lanes;
  expect(placed && rowsOf(placed, layout)).toEqual([
    { y: headHeight, height: 10 },
    { y: headHeight + 20, height: stripHeight },
    { y: headHeight + 10, height: 10 },
  ]);
});

test("rows do not fold under a pointer, and a new row opens gradually", () => {
  expect(heights(9_000, [lane("n1", [row(0), row(0, 5_000)])], 5_500)).toEqual([plain + 20]);
  expect(heights(9_050, [lane("n1", [row(0), row(9_000)])])).toEqual([plain + 15]);
  // A row that is used again before it has folded remains open.
  expect(heights(9_010, [lane("n1", [row(0), row(9_000, Infinity, 8_900)])])).toEqual([plain + 20]);
});

test("a lane that was placed before is as high as a lane that is placed for the first time", () => {
  const rows = () => [row(0), row(0, 5_000), row(4_000, Infinity, -9_000), row(0, -Infinity)];
  for (const node of ["n1", ""]) {
    const [known, unknown] = [lane(node, rows()), () => lane(node, rows())];
    const times = [...Array.from({ length: 90 }, (_, i) => i * 100), 2_000, 6_050, 6_010, 8_000, 100];
    for (const nowMs of times) {
      expect(heights(nowMs, [known])).toEqual(heights(nowMs, [unknown()]));
      expect(heights(nowMs, [known], nowMs - 700)).toEqual(heights(nowMs, [unknown()], nowMs - 700));
    }
    // The pointer is over the picture while the playhead moves back.
    for (const nowMs of [8_000, 4_050])
      expect(heights(nowMs, [known], 3_000)).toEqual(heights(nowMs, [unknown()], 3_000));
  }
});

test("a lane whose rows changed is placed by its new rows", () => {
  const taken = [row(0)];
  const changing = { ...lane("n1", taken), rowChanges: 0 };
  expect(heights(8_000, [changing])).toEqual([plain + 10]);
  taken.push(row(8_000));
  changing.rowChanges++;
  expect(heights(8_050, [changing])).toEqual([plain + 15]);
  expect(heights(8_100, [changing])).toEqual([plain + 20]);
});

test("the lane of waiting pods exists while a pod waits for long, and the lane of a removed node folds", () => {
  expect(heights(9_000, [lane("", [row(8_500)])])).toEqual([]);
  expect(heights(9_000, [lane("", [row(7_000)])])).toEqual([plain + 10]);
  expect(heights(9_000, [lane("", [row(0, -Infinity)])])).toEqual([]);
  expect(heights(900, [lane("n1", [], "gone")])).toEqual([plain + 10]);
  expect(heights(9_000, [lane("n1", [], "gone")])).toEqual([]);
});

test("a point leads to the bar at that point", () => {
  const bar: Bar = {
    number: 1,
    namespace: "a",
    name: "p",
    node: "n1",
    row: 1,
    fromMs: 50,
    toMs: 90,
    spans: [],
    marks: [],
  };
  const nodeLane = { node: "n1", spans: [], bars: [bar], rows: [row(0), row(0)], rowChanges: 0 };
  const folding = { nowMs: 100, closeNowMs: 100, foldMs: 1_000, turnMs: 10 };
  const waiting = { node: "", spans: [], bars: [], rows: [], rowChanges: 0 };
  const layout = layOut([waiting, nodeLane], { rowHeight: 10, topY: 30, folding });
  expect(layout.lanes.map(({ topY, height }) => [topY, height])).toEqual([[30, 48]]);
  expect(findAt(layout, { y: 30 + 24 + 15, timeMs: 60 })).toEqual({ lane: nodeLane, bar });
  expect(findAt(layout, { y: 30 + 24 + 5, timeMs: 60 })).toEqual({ lane: nodeLane, bar: undefined });
  expect(findAt(layout, { y: 5, timeMs: 60 })).toBeUndefined();
});
