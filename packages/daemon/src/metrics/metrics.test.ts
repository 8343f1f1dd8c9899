import { expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";

async function linesOf(metrics: ReturnType<typeof createMetrics>, name: string): Promise<string[]> {
  const text = await metrics.exposition();
  return text.split("\n").filter((line) => line.startsWith(name));
}

test("a counter adds up by labels, whether they come as one object or as equal ones", async () => {
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

test("what is forgotten is shown no more, and counting begins anew, also by labels that were used before", async () => {
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

test("who declares a name again goes on with what was measured", async () => {
  const metrics = createMetrics();
  const declare = () => metrics.counter({ name: "tries_total", help: "Tries.", labels: ["by"] });
  declare().add(1, { by: "a" });
  declare().add(2, { by: "a" });
  expect(await linesOf(metrics, "tries_total{")).toEqual(['tries_total{by="a"} 3']);
  expect(() => metrics.gauge({ name: "tries_total", help: "Tries." })).toThrow("already been registered");
});

test("a gauge that is reset shows nothing of what it was set to", async () => {
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

test("a histogram counts each observation in its bucket and in all larger ones", async () => {
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

test("a label that was not declared, and a number that is none, are refused", () => {
  const metrics = createMetrics();
  const counter = metrics.counter({ name: "requests_total", help: "Requests.", labels: ["verb"] });
  const histogram = metrics.histogram({ name: "duration_seconds", help: "Durations.", buckets: [1] });
  expect(() => counter.add(1, { path: "/" })).toThrow("no label path");
  expect(() => counter.add(-1, { verb: "GET" })).toThrow(RangeError);
  expect(() => histogram.observe(NaN)).toThrow(RangeError);
});

test("how busy the event loop is adds up, and no clock of 10 ms is kept for how late it is", async () => {
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
