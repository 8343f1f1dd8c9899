import { expect, test } from "vitest";
import { quietUsage } from "../../simulated/quiet-machine.ts";
import { assembleSummary, type ObservedStats } from "./assemble-summary.ts";
import { ProcessorRates } from "./processor-rates.ts";
import { resourceMetrics } from "./resource-metrics.ts";
import { summaryJson } from "./stats-api.ts";

const mebibyte = 1024 * 1024;
const startMs = 1_700_000_000_000;

const labels = {
  "io.kubernetes.pod.name": "web",
  "io.kubernetes.pod.namespace": "default",
  "io.kubernetes.pod.uid": "uid-1",
  "io.kubernetes.container.name": "main",
};
const metadata = { name: "web", namespace: "default", uid: "uid-1", attempt: 0 };

/**
 * A node with one pod, whose container has used a tenth of a core since the start, and some disk.
 */
function observed(atMs: number, over: Partial<ObservedStats> = {}): ObservedStats {
  const nowMs = startMs + atMs;
  const usage = { timestampMs: nowMs, cpuUsageNanoseconds: atMs * 1e5, memoryWorkingSetBytes: 10 * mebibyte };
  return {
    nodeName: "node-1",
    nowMs,
    startedAtMs: startMs,
    usage: { ...quietUsage, cpuNanoseconds: atMs * 5e5, interfaces: [] },
    images: {
      usage: { timestampMs: nowMs, mountpoint: "/images", usedBytes: 300 * mebibyte, inodesUsed: 30 },
      space: quietUsage.rootFs,
    },
    sandboxes: [{ id: "s1", metadata, ready: true, createdAtMs: startMs, labels, annotations: {} }],
    containers: [
      {
        id: "c1",
        sandboxId: "s1",
        metadata: { name: "main", attempt: 0 },
        image: "busybox",
        imageRef: "",
        state: "running",
        createdAtMs: startMs + 1000,
        labels,
        annotations: {},
      },
    ],
    containerStats: [
      { containerId: "c1", name: "main", labels, ...usage, writableLayerBytes: 5 * mebibyte, writableLayerInodes: 7 },
    ],
    unanswered: new Set(),
    sandboxStats: [
      { sandboxId: "s1", metadata, labels, ...usage, memoryWorkingSetBytes: 11 * mebibyte, processCount: 3 },
    ],
    disks: new Map([
      [
        "uid-1",
        {
          measuredMs: nowMs,
          volumes: [
            { name: "cache", plugin: "empty-dir", inMemory: false, bytes: 20 * mebibyte, inodes: 4 },
            { name: "fast", plugin: "", inMemory: true, bytes: 50 * mebibyte, inodes: 2 },
            { name: "token", plugin: "projected", inMemory: false, bytes: 4096, inodes: 5 },
          ],
          claims: [],
          logs: new Map([["main", { bytes: mebibyte, inodes: 2 }]]),
        },
      ],
    ]),
    ...over,
  };
}

test("a summary states the usage of the node and each pod, and the rates since the last query", () => {
  const rates = new ProcessorRates();
  const rateOf = rates.rateOf.bind(rates);
  const first = assembleSummary(observed(10_000), rateOf);
  expect(first.node.cpu.usageNanoCores).toBeUndefined();
  const { node, pods } = assembleSummary(observed(20_000), rateOf);
  expect(node.cpu).toEqual({ time: startMs + 20_000, usageNanoCores: 5e8, usageCoreNanoSeconds: 1e10 });
  expect(node.memory).toMatchObject({ availableBytes: quietUsage.memoryAvailableBytes });
  expect(node.runtime?.imageFs).toMatchObject({ usedBytes: 300 * mebibyte, inodesUsed: 30 });
  const [pod] = pods;
  expect(pod).toMatchObject({
    podRef: { name: "web", namespace: "default", uid: "uid-1" },
    cpu: { usageNanoCores: 1e8 },
    memory: { workingSetBytes: 11 * mebibyte },
    process_stats: { process_count: 3 },
    containers: [
      {
        name: "main",
        startTime: startMs + 1000,
        rootfs: { usedBytes: 5 * mebibyte, inodesUsed: 7 },
        logs: { usedBytes: mebibyte },
      },
    ],
  });
  // The layer, the log and the emptyDir on disk count; volumes in memory and tokens do not.
  expect(pod?.["ephemeral-storage"]).toMatchObject({ usedBytes: 26 * mebibyte, inodesUsed: 13 });
  expect(JSON.parse(summaryJson({ node, pods }))).toMatchObject({
    node: { startTime: "2023-11-14T22:13:20Z", cpu: { time: "2023-11-14T22:13:40Z" } },
  });
});

test("a pod is the sum of its containers if the runtime does not report sandboxes", () => {
  const { pods } = assembleSummary(observed(10_000, { sandboxStats: [] }), () => undefined);
  expect(pods[0]).toMatchObject({
    cpu: { usageCoreNanoSeconds: 1e9 },
    memory: { workingSetBytes: 10 * mebibyte },
  });
  expect(pods[0]).not.toHaveProperty("process_stats");
});

test("an ended container does not count as usage, although the runtime still reports it", () => {
  const whole = observed(10_000);
  const ended = whole.containerStats.map((stats) => ({ ...stats, containerId: "c0", cpuUsageNanoseconds: 0 }));
  const containerStats = [...ended, ...whole.containerStats];
  const { pods } = assembleSummary({ ...whole, containerStats, sandboxStats: [] }, () => undefined);
  expect(pods).toMatchObject([
    {
      containers: [{ name: "main", startTime: startMs + 1000, cpu: { usageCoreNanoSeconds: 1e9 } }],
      cpu: { usageCoreNanoSeconds: 1e9 },
      memory: { workingSetBytes: 10 * mebibyte },
    },
  ]);
  expect(pods[0]?.["ephemeral-storage"]).toMatchObject({ usedBytes: 26 * mebibyte });
});

test("/metrics/resource has upstream's series, with the time of each measurement", () => {
  const text = resourceMetrics(assembleSummary(observed(20_000), () => undefined));
  const at = startMs + 20_000;
  for (const line of [
    "# TYPE node_cpu_usage_seconds_total counter",
    `node_cpu_usage_seconds_total 10 ${at}`,
    `node_memory_working_set_bytes ${quietUsage.memoryWorkingSetBytes} ${at}`,
    `container_cpu_usage_seconds_total{container="main",pod="web",namespace="default"} 2 ${at}`,
    `container_start_time_seconds{container="main",pod="web",namespace="default"} 1700000001`,
    `pod_memory_working_set_bytes{pod="web",namespace="default"} ${11 * mebibyte} ${at}`,
    "resource_scrape_error 0",
  ]) {
    expect(text.split("\n")).toContain(line);
  }
  expect(resourceMetrics(undefined)).toContain("\nresource_scrape_error 1\n");
});

test("the times of /metrics/resource are whole milliseconds, even if the clock has fractions", () => {
  const text = resourceMetrics(assembleSummary({ ...observed(20_000), nowMs: 1_700_000_000_000.25 }, () => undefined));
  expect(text).toMatch(/^node_cpu_usage_seconds_total \S+ 1700000000000$/m);
  expect(text).not.toMatch(/ \d+\.\d+$/m);
});
