import { VirtualClock } from "@kintsugi/clock/simulated";
import { createMetrics } from "@kintsugi/daemon";
import { expect, test } from "vitest";
import { type RelayedMeasurement, relayMetrics, WorkerMeasurements } from "./relayed-metrics.ts";

function start() {
  const clock = new VirtualClock();
  const metrics = createMetrics();
  const measurements = new WorkerMeasurements(metrics);
  const sent: (readonly RelayedMeasurement[])[] = [];
  const worker = (index: number) =>
    relayMetrics({
      clock,
      send: (each) => {
        sent.push(each);
        measurements.add(index, each);
      },
    });
  const lines = async (name: string) =>
    (await metrics.exposition()).split("\n").filter((line) => line.startsWith(name));
  return { clock, measurements, sent, worker, lines };
}

test("counts are summed over workers, and sent a few times a second", async () => {
  const { clock, sent, worker, lines } = start();
  for (const index of [0, 1]) {
    const counter = worker(index).counter({ name: "a_total", help: "Sums.", labels: ["reason"] });
    for (let i = 0; i < 10; i++) counter.add(2, { reason: "full" });
  }
  expect(sent).toHaveLength(0);
  await clock.advance(250);
  expect(sent).toHaveLength(2);
  expect(await lines("a_total{")).toEqual(['a_total{reason="full"} 40']);
});

test("a gauge is the sum of the workers that run", async () => {
  const { clock, measurements, worker, lines } = start();
  const gauges = [0, 1].map((index) => worker(index).gauge({ name: "open", help: "Open.", labels: ["client"] }));
  gauges[0]?.set(7, { client: "known" });
  gauges[1]?.set(5, { client: "known" });
  gauges[1]?.set(4, { client: "known" });
  await clock.advance(250);
  expect(await lines("open{")).toEqual(['open{client="known"} 11']);
  measurements.forget(0);
  expect(await lines("open{")).toEqual(['open{client="known"} 4']);
});

test("a busy worker does not keep its measurements", () => {
  const { sent, worker } = start();
  const histogram = worker(0).histogram({ name: "b_seconds", help: "Times.", buckets: [1] });
  for (let i = 0; i < 2_500; i++) histogram.observe(0.5);
  expect(sent.map((each) => each.length)).toEqual([1_000, 1_000]);
});
