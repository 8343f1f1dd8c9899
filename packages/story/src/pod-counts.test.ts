import { expect, test } from "vitest";
import type { Bar } from "./bar.ts";
import { degradedTimeOf } from "./downtime.ts";
import { samplesOf, shortagesOf, silencesOf, turnsOf } from "./pod-counts.ts";

const bar = (node: string, fromMs: number, toMs?: number): Bar => ({
  number: 1,
  namespace: "default",
  name: "web",
  node,
  row: 0,
  fromMs,
  toMs,
  spans: [
    { fromMs, state: "pending", because: "" },
    { fromMs: fromMs + 1, state: "ready", because: "" },
  ],
  marks: [],
});
const shape = (bars: Bar[], wanted: number, silences: { fromMs: number; toMs: number }[] = []) =>
  samplesOf(turnsOf(bars, { wanted, silences: (node) => (node === "n2" ? silences : []) })).map(
    ({ atMs, wanted: want, ready, available }) => `${atMs}: ${available}/${ready}/${want}`,
  );

test("a workload's first start is not a shortage, and a removed pod is missing until its successor serves", () => {
  expect(shape([bar("n1", 0), bar("n2", 0, 100), bar("n1", 109)], 2)).toEqual(["1: 2/2/2", "100: 1/1/2", "110: 2/2/2"]);
});

test("pods of a node that does not report are Ready, and not available", () => {
  expect(shape([bar("n1", 0), bar("n2", 0, 100)], 2, [{ fromMs: 50, toMs: Infinity }])).toEqual([
    "1: 2/2/2",
    "50: 1/2/2",
    "100: 1/1/2",
  ]);
});

test("a lower desired count is not a shortage", () => {
  expect(shape([bar("n1", 0), bar("n1", 0, 100)], 1)).toEqual(["1: 2/2/1", "100: 1/1/1"]);
});

test("a node is silent since its last report, a grace period before the API reports it", () => {
  const span = (fromMs: number, state: "ready" | "silent") => ({ fromMs, state, isCordoned: false, evicts: false });
  const lane = { spans: [span(0, "ready"), span(1000, "silent"), span(1001, "silent"), span(2000, "ready")] };
  expect(silencesOf(lane, { graceMs: 40 })).toEqual([{ fromMs: 960, toMs: 2000 }]);
  expect(silencesOf(lane, { graceMs: 40, lateSinceMs: 3000 })).toEqual([
    { fromMs: 960, toMs: 2000 },
    { fromMs: 3000, toMs: Infinity },
  ]);
  const marked = { spans: lane.spans.slice(0, 2) };
  expect(silencesOf(marked, { graceMs: 40, lateSinceMs: 3000 })).toEqual([{ fromMs: 960, toMs: Infinity }]);
});

test("times with two degraded workloads count once", () => {
  const shortage = (fromMs: number, toMs?: number) => ({ fromMs, toMs, byNode: false });
  expect(degradedTimeOf([shortage(50, 80), shortage(0, 60), shortage(100), shortage(10, 20)], 130)).toBe(110);
  expect(degradedTimeOf([], 130)).toBe(0);
});

test("recorded counts result in the times without enough pods, and without any pod, until now", () => {
  const sample = (atMs: number, available: number) => ({ atMs, wanted: 2, ready: 2, available });
  const samples = [sample(0, 2), sample(10, 1), sample(20, 0), sample(25, 1), sample(40, 2), sample(60, 1)];
  const shortage = (fromMs: number, toMs?: number) => ({ fromMs, toMs, byNode: false });
  expect(shortagesOf(samples, 5)).toEqual({ shortages: [], downMs: 0, degradedMs: 0 });
  expect(shortagesOf(samples, 22)).toEqual({ shortages: [shortage(10)], downMs: 2, degradedMs: 12 });
  expect(shortagesOf(samples, 70)).toEqual({
    shortages: [shortage(10, 40), shortage(60)],
    downMs: 5,
    degradedMs: 40,
  });
});
