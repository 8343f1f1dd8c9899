import { createMetrics } from "@kintsugi/daemon";
import { expect, test } from "vitest";
import { ProbeMetrics } from "./probe-metrics.ts";

test("probes are counted by result and timed, until their pod no longer exists", async () => {
  const metrics = createMetrics();
  const probes = new ProbeMetrics(metrics);
  const metadata = { name: "web", namespace: "default", uid: "u-1" };
  const series = { kind: "liveness", container: "c", metadata } as const;
  const lines = async () =>
    (await metrics.exposition()).split("\n").filter((line) => /^prober_\w+(total|count|sum)\{/.test(line));
  probes.record(series, { kind: "success" }, 20);
  probes.record(series, { kind: "failure", output: "no" }, 30);
  probes.record(series, { kind: "errored", because: "?" }, 50);
  const labels = 'probe_type="Liveness",container="c",pod="web",namespace="default"';
  expect(await lines()).toEqual([
    `prober_probe_total{${labels},result="successful",pod_uid="u-1"} 1`,
    `prober_probe_total{${labels},result="failed",pod_uid="u-1"} 1`,
    `prober_probe_total{${labels},result="unknown",pod_uid="u-1"} 1`,
    `prober_probe_duration_seconds_sum{${labels}} 0.1`,
    `prober_probe_duration_seconds_count{${labels}} 3`,
  ]);
  probes.forget(series);
  expect(await lines()).toEqual([]);
});
