import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { KnownCluster } from "../cluster/cluster-files.ts";
import { clusterPaths } from "../cluster/cluster-paths.ts";
import { storedBy, type DesiredSettings } from "../settings/desired-settings.ts";
import { beginFirstStart, endFirstStart, hasFirstStartFailed, isSameCluster } from "./first-start.ts";

const identity = { formatVersion: 1, name: "c", subnet: 64, createdAtMs: 0 } as const;

function aCluster(dataRoot: string, desired: DesiredSettings = {}): KnownCluster {
  return {
    spec: { ...identity, ...storedBy({ apiPort: 7000, ociRuntime: "crun", ...desired }) },
    paths: clusterPaths(dataRoot, "c"),
  };
}

test("a first start has failed if its process exited before the API answered", async () => {
  const directory = await mkdtemp(join(tmpdir(), "first-start-"));
  try {
    const cluster = aCluster(directory);
    expect(await hasFirstStartFailed(cluster)).toBe(false);
    await beginFirstStart(cluster);
    expect(await hasFirstStartFailed(cluster)).toBe(false);
    await writeFile(cluster.paths.firstStartFile, JSON.stringify({ pid: process.pid, startTime: "1" }));
    expect(await hasFirstStartFailed(cluster)).toBe(true);
    await endFirstStart(cluster);
    expect(await hasFirstStartFailed(cluster)).toBe(false);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("a port and a runtime that were chosen for the cluster are not a difference", () => {
  expect(isSameCluster(aCluster("/data"), { dataDir: "/data" })).toBe(true);
});

test.each<[string, DesiredSettings & { dataDir: string }]>([
  ["another directory", { dataDir: "/large" }],
  ["another port", { dataDir: "/data", apiPort: 7001 }],
  ["another setting", { dataDir: "/data", devices: 2 }],
])("%s results in another cluster", (_, desired) => {
  expect(isSameCluster(aCluster("/data"), desired)).toBe(false);
});

test("a setting that is no longer desired results in another cluster", () => {
  expect(isSameCluster(aCluster("/data", { ingress: true }), { dataDir: "/data" })).toBe(false);
});
