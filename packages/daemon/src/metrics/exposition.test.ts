import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { expositionOf, linesBetweenLooks, turnMs } from "./exposition.ts";
import { SeriesCounter } from "./series-counter.ts";
import { SeriesGauge } from "./series-gauge.ts";
import { SeriesHistogram } from "./series-histogram.ts";
import { seriesLimits, SeriesRoom } from "./series-room.ts";

test("an exposition makes and renders a few lines at a time, in turns with other work", async () => {
  const linesOfSeries = 26;
  let made = 0;
  const seriesOf = function* () {
    for (let i = 0; i < 2_000; i++) {
      made += linesOfSeries;
      yield Array.from({ length: linesOfSeries }, (_, le) => ({ labels: { i, le }, value: 1 }));
    }
  };
  const metric = { name: "a_seconds", exposed: () => ({ help: "Times.", type: "histogram", series: seriesOf() }) };
  const registry = { getMetricsAsArray: () => [metric], getSingleMetric: () => metric } as unknown as Registry;
  const madeInTurns: number[] = [];
  let madeBefore = 0;
  const endTurn = () => {
    madeInTurns.push(made - madeBefore);
    madeBefore = made;
  };
  // Each reading of the clock advances it by a millisecond, the time of the lines between readings.
  let nowMs = 0;
  const text = await expositionOf(registry, { nowMs: () => nowMs++, nextTurn: async () => endTurn() });
  endTurn();
  expect(text.split("\n")).toHaveLength(2 + 2_000 * linesOfSeries + 1);
  expect(madeInTurns.length).toBeGreaterThan(5);
  expect(Math.max(...madeInTurns)).toBeLessThanOrEqual((turnMs + 1) * (linesBetweenLooks + linesOfSeries));
});

test("counters, gauges and histograms make their lines when they are rendered", async () => {
  const registry = new Registry();
  const parts = { registry, room: new SeriesRoom({ reject: () => {} }, seriesLimits) };
  const labels = ["i"];
  const counter = new SeriesCounter({ name: "a_total", help: "Sums.", labels }, parts);
  const gauge = new SeriesGauge({ name: "b", help: "States.", labels }, parts);
  const histogram = new SeriesHistogram({ name: "c_seconds", help: "Times.", labels, buckets: [1, 2] }, parts);
  for (let i = 0; i < 1_000; i++) {
    counter.add(1, { i: String(i) });
    gauge.put(1, { i: String(i) });
    histogram.add(1, { i: String(i) });
  }
  let turns = 0;
  // Each reading of the clock ends a turn.
  let nowMs = 0;
  const text = await expositionOf(registry, {
    nowMs: () => (nowMs += 2 * turnMs),
    nextTurn: async () => {
      turns++;
      // A line that had been made before its turn would still be rendered.
      for (const metric of [counter, gauge, histogram]) metric.forget({ i: "999" });
    },
  });
  expect(turns).toBeGreaterThan(7_000 / linesBetweenLooks - 3);
  for (const name of ["a_total", "b", "c_seconds_count"]) expect(text).toContain(`${name}{i="998"} 1\n`);
  expect(text).not.toContain('i="999"');
});
