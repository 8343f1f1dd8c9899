import fc from "fast-check";
import { expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";

async function linesOf(metrics: ReturnType<typeof createMetrics>, name: string): Promise<string[]> {
  const text = await metrics.exposition();
  return text.split("\n").filter((line) => line.startsWith(name));
}

test("a counter adds up by labels, whether they are the same object or equal objects", async () => {
  const metrics = createMetrics();
  const counter = metrics.counter({ name: "requests_total", help: "Requests.", labels: ["verb", "code"] });
  const labels = { verb: "GET", code: "200" };
  counter.add(1, labels);
  counter.add(2, labels);
  counter.add(4, { code: "200", verb: "GET" });
  counter.add(1, { verb: "GET", code: "404" });
  expect(await linesOf(metrics, "requests_total{")).toEqual([
    'requests_total{verb="GET",code="200"} 7',
    'requests_total{verb="GET",code="404"} 1',
  ]);
});

test("removed series are no longer shown, and counting starts again, even by labels that were used before", async () => {
  const metrics = createMetrics();
  const counter = metrics.counter({ name: "probes_total", help: "Probes.", labels: ["pod"] });
  const histogram = metrics.histogram({ name: "probe_seconds", help: "Times.", labels: ["pod"], buckets: [1] });
  const labels = { pod: "web" };
  counter.add(3, labels);
  counter.add(1, { pod: "db" });
  histogram.observe(0.5, labels);
  counter.remove({ pod: "web" });
  histogram.remove({ pod: "web" });
  expect(await linesOf(metrics, "probes_total{")).toEqual(['probes_total{pod="db"} 1']);
  expect(await linesOf(metrics, "probe_seconds_count{")).toEqual([]);
  counter.add(1, labels);
  expect(await linesOf(metrics, "probes_total{")).toEqual(['probes_total{pod="db"} 1', 'probes_total{pod="web"} 1']);
});

test("a repeated declaration of a name continues with the measured values", async () => {
  const metrics = createMetrics();
  const declare = () => metrics.counter({ name: "tries_total", help: "Tries.", labels: ["by"] });
  declare().add(1, { by: "a" });
  declare().add(2, { by: "a" });
  expect(await linesOf(metrics, "tries_total{")).toEqual(['tries_total{by="a"} 3']);
  expect(() => metrics.gauge({ name: "tries_total", help: "Tries." })).toThrow("already been registered");
});

test("a gauge that is reset shows no values", async () => {
  const metrics = createMetrics();
  const gauge = metrics.gauge({ name: "depth", help: "Depth.", labels: ["queue"] });
  for (const queue of ["a", "b"]) gauge.set(1, { queue });
  gauge.reset();
  gauge.set(2, { queue: "b" });
  expect(await linesOf(metrics, "depth{")).toEqual(['depth{queue="b"} 2']);
});

test("a metric without labels is shown before anything was measured", async () => {
  const metrics = createMetrics();
  metrics.counter({ name: "restarts_total", help: "Restarts." });
  metrics.histogram({ name: "pause_seconds", help: "Pauses.", buckets: [1] });
  expect(await linesOf(metrics, "restarts_total ")).toEqual(["restarts_total 0"]);
  expect(await linesOf(metrics, "pause_seconds_count")).toEqual(["pause_seconds_count 0"]);
});

test("a histogram counts each observation in its bucket and in all larger buckets", async () => {
  const metrics = createMetrics();
  const definition = { name: "duration_seconds", help: "Durations.", labels: ["verb"], buckets: [0.1, 1] };
  const histogram = metrics.histogram(definition);
  for (const seconds of [0.05, 0.1, 0.5, 7]) histogram.observe(seconds, { verb: "GET" });
  expect(await linesOf(metrics, "duration_seconds")).toEqual([
    'duration_seconds_bucket{le="0.1",verb="GET"} 2',
    'duration_seconds_bucket{le="1",verb="GET"} 3',
    'duration_seconds_bucket{le="+Inf",verb="GET"} 4',
    'duration_seconds_sum{verb="GET"} 7.65',
    'duration_seconds_count{verb="GET"} 4',
  ]);
});

test("an undeclared label and an invalid number are rejected", () => {
  const metrics = createMetrics();
  const counter = metrics.counter({ name: "requests_total", help: "Requests.", labels: ["verb"] });
  const histogram = metrics.histogram({ name: "duration_seconds", help: "Durations.", buckets: [1] });
  expect(() => counter.add(1, { path: "/" })).toThrow("no label path");
  expect(() => counter.add(-1, { verb: "GET" })).toThrow(RangeError);
  expect(() => histogram.observe(NaN)).toThrow(RangeError);
});

test("the event loop's utilization accumulates, and its own lateness is not measured by a 10 ms timer", async () => {
  const metrics = createMetrics();
  const active = async () =>
    Number((await linesOf(metrics, "nodejs_eventloop_active_seconds_total "))[0]?.split(" ")[1]);
  const before = await active();
  expect(before).toBeGreaterThan(0);
  expect(await active()).toBeGreaterThan(before);
  expect(await linesOf(metrics, "nodejs_eventloop_lag_")).toEqual([
    expect.stringMatching(/^nodejs_eventloop_lag_seconds /),
  ]);
});

/**
 * The lines of the process's own metrics, and of the metric of rejected measurements, do not count
 * as a user's.
 */
const ownLinesMax = 300;

/** The usual limits divided by a hundred. */
const small = { metricLinesMax: 500, programLinesMax: 1_000 };
const { metricLinesMax, programLinesMax } = small;

const rejections = "kintsugi_metrics_series_rejected_total";

async function linesIn(metrics: ReturnType<typeof createMetrics>): Promise<string[]> {
  return (await metrics.exposition()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

test("labels beyond the limit share the series other, no measurement is lost, and each is counted as rejected", async () => {
  const metrics = createMetrics(small);
  const counter = metrics.counter({ name: "made_total", help: "Made.", labels: ["by", "code"] });
  const histogram = metrics.histogram({ name: "made_seconds", help: "Made.", labels: ["by"], buckets: [1, 2] });
  const gauge = metrics.gauge({ name: "made", help: "Made.", labels: ["by"] });
  const [ofCounter, ofHistogram] = [metricLinesMax + 3, metricLinesMax / 5 + 2];
  for (let i = 0; i < ofCounter; i++) counter.add(2, { by: `user-${i}`, code: "200" });
  for (let i = 0; i < ofHistogram; i++) histogram.observe(1.5, { by: `user-${i}` });
  // The histogram has the rest of the program's room.
  gauge.set(7, { by: "user-0" });
  const lines = await linesIn(metrics);
  expect(lines).toContain('made_total{by="other",code="other"} 6');
  expect(lines).toContain('made_seconds_count{by="other"} 2');
  expect(lines.filter((line) => line.startsWith("made{"))).toEqual([]);
  expect(lines.filter((line) => line.startsWith(rejections))).toEqual([
    `${rejections}{metric="made_total"} 3`,
    `${rejections}{metric="made_seconds"} 2`,
    `${rejections}{metric="made"} 1`,
  ]);
  expect(lines.filter((line) => line.startsWith("made_total{"))).toHaveLength(metricLinesMax + 1);
  expect(lines.length).toBeLessThan(programLinesMax + ownLinesMax);
});

test("a removed series frees its place for another", async () => {
  const metrics = createMetrics(small);
  const gauge = metrics.gauge({ name: "depth", help: "Depth.", labels: ["queue"] });
  for (let i = 0; i < 3 * metricLinesMax; i++) {
    gauge.set(i, { queue: `queue-${i}` });
    gauge.remove({ queue: `queue-${i}` });
  }
  gauge.set(5, { queue: "last" });
  for (let i = 0; i < metricLinesMax + 1; i++) gauge.set(i, { queue: `queue-${i}` });
  gauge.reset();
  gauge.set(6, { queue: "first" });
  expect(await linesOf(metrics, "depth{")).toEqual(['depth{queue="first"} 6']);
  expect(await linesOf(metrics, `${rejections}{`)).toEqual([`${rejections}{metric="depth"} 2`]);
});

test("a value that is longer than any name is truncated", async () => {
  const metrics = createMetrics();
  const counter = metrics.counter({ name: "seen_total", help: "Seen.", labels: ["path"] });
  counter.add(1, { path: "x".repeat(1_000_000) });
  counter.add(1, { path: "x".repeat(2_000_000) });
  expect(await linesOf(metrics, "seen_total{")).toEqual([`seen_total{path="${"x".repeat(256)}"} 2`]);
});

test("no number of metrics and labels makes an exposition longer than its limit", async () => {
  const label = fc.constantFrom("name", "user", "path", "code");
  const definition = fc.record({
    type: fc.constantFrom("counter" as const, "gauge" as const, "histogram" as const),
    labels: fc.uniqueArray(label, { minLength: 1 }),
    buckets: fc.integer({ min: 1, max: 30 }),
    series: fc.integer({ min: 1, max: 700 }),
  });
  const definitions = fc.array(definition, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(definitions, async (drawn) => {
      const metrics = createMetrics(small);
      for (const [index, { type, labels, buckets, series }] of drawn.entries()) {
        const named = { name: `drawn_${index}`, help: "Drawn.", labels };
        const of = (i: number) => Object.fromEntries(labels.map((each) => [each, `${i}`]));
        const bounds = Array.from({ length: buckets }, (_, i) => i);
        const [counter, gauge, histogram] = [
          type === "counter" ? metrics.counter(named) : undefined,
          type === "gauge" ? metrics.gauge(named) : undefined,
          type === "histogram" ? metrics.histogram({ ...named, buckets: bounds }) : undefined,
        ];
        for (let i = 0; i < series; i++) {
          counter?.add(1, of(i));
          gauge?.set(1, of(i));
          histogram?.observe(1, of(i));
        }
      }
      const lines = await linesIn(metrics);
      // Each metric may have its shared series in addition.
      expect(lines.length).toBeLessThan(programLinesMax + ownLinesMax + drawn.length * 33);
      for (const index of drawn.keys()) {
        const own = lines.filter((line) => line.startsWith(`drawn_${index}`));
        expect(own.length).toBeLessThanOrEqual(metricLinesMax + 33);
      }
    }),
    { numRuns: 50 },
  );
});

test("an exposition conforms to the format, for every value and label", async () => {
  const metrics = createMetrics();
  const gauge = metrics.gauge({ name: "odd", help: 'A "help"\nof \\ lines.', labels: ["text"] });
  gauge.set(Infinity, { text: 'a "quoted" \\ text\nof lines' });
  gauge.set(-Infinity, { text: "low" });
  gauge.set(NaN, { text: "none" });
  const text = await metrics.exposition();
  expect(text).toContain('# HELP odd A "help"\\nof \\\\ lines.\n# TYPE odd gauge\n');
  expect(await linesOf(metrics, "odd{")).toEqual([
    'odd{text="a \\"quoted\\" \\\\ text\\nof lines"} +Inf',
    'odd{text="low"} -Inf',
    'odd{text="none"} NaN',
  ]);
  expect(text.endsWith("\n")).toBe(true);
});
