import { describe, expect, test } from "vitest";
import { manifestPath } from "../../model/bound-pod.ts";
import type { PodStats } from "../stats/stats-api.ts";
import { aPod } from "../../testing/builders.ts";
import { evictionMessage } from "./eviction-message.ts";
import { judgeLocalStorage } from "./local-storage.ts";
import { isCritical, rankPods } from "./rank-pods.ts";
import { parseThresholds } from "./thresholds.ts";

const mebibyte = 1024 * 1024;

interface Candidate {
  name: string;
  requests?: Record<string, string>;
  limits?: Record<string, string>;
  priority?: number;
  memory?: number;
  processes?: number;
  rootfs?: number;
  logs?: number;
  volume?: number;
  sizeLimit?: string;
}

/** A pod with one container and one emptyDir, and its usage in MiB. */
function candidate({ name, requests, limits, priority, sizeLimit, ...used }: Candidate) {
  const resources = { ...(requests ? { requests } : {}), ...(limits ? { limits } : {}) };
  const pod = aPod(
    {
      containers: [{ name: "c", image: "busybox", resources }],
      volumes: [{ name: "cache", emptyDir: sizeLimit === undefined ? {} : { sizeLimit } }],
      ...(priority === undefined ? {} : { priority }),
    },
    { metadata: { name, namespace: "default", uid: `uid-of-${name}` } },
  );
  const time = 0;
  const fs = (mebibytes = 0) => ({ time, usedBytes: mebibytes * mebibyte, inodesUsed: mebibytes });
  const memory = { time, workingSetBytes: (used.memory ?? 0) * mebibyte };
  const cpu = { time, usageCoreNanoSeconds: 0 };
  const stats: PodStats = {
    podRef: { name, namespace: "default", uid: `uid-of-${name}` },
    startTime: 0,
    containers: [{ name: "c", startTime: 0, cpu, memory, rootfs: fs(used.rootfs), logs: fs(used.logs) }],
    cpu,
    memory,
    volume: [{ name: "cache", ...fs(used.volume) }],
    "ephemeral-storage": fs((used.rootfs ?? 0) + (used.logs ?? 0) + (used.volume ?? 0)),
    process_stats: { process_count: used.processes ?? 0 },
  };
  return { pod, stats };
}

function ranked(
  signal: Parameters<typeof rankPods>[1],
  candidates: readonly Candidate[],
  options: { dedicatedImageFs?: boolean; unknown?: string } = {},
): string[] {
  const all = candidates.map(candidate);
  const statsOf = (pod: { metadata: { uid: string } }) =>
    all.find(({ stats }) => stats.podRef.uid === pod.metadata.uid && stats.podRef.name !== options.unknown)?.stats;
  const { dedicatedImageFs = false } = options;
  const pods = rankPods(
    all.map(({ pod }) => pod),
    signal,
    { statsOf, dedicatedImageFs },
  );
  return pods.map(({ metadata }) => metadata.name);
}

describe("the order of eviction", () => {
  test("for memory is: pods beyond their requests, then by priority, then by the excess", () => {
    const order = ranked("memory.available", [
      { name: "within", requests: { memory: "500Mi" }, memory: 400 },
      { name: "beyond-important", requests: { memory: "10Mi" }, memory: 300, priority: 100 },
      { name: "beyond-a-little", requests: { memory: "100Mi" }, memory: 110 },
      { name: "best-effort", memory: 50 },
    ]);
    expect(order).toEqual(["best-effort", "beyond-a-little", "beyond-important", "within"]);
  });

  test("puts a pod without statistics before all others", () => {
    const pods = [
      { name: "huge", memory: 900 },
      { name: "unknown", memory: 1 },
    ];
    expect(ranked("memory.available", pods, { unknown: "unknown" })).toEqual(["unknown", "huge"]);
  });

  test("for processes is: by priority, then by their number", () => {
    const order = ranked("pid.available", [
      { name: "few", processes: 3 },
      { name: "many-important", processes: 900, priority: 10 },
      { name: "many", processes: 90 },
    ]);
    expect(order).toEqual(["many", "few", "many-important"]);
  });

  test("for disk counts layers, logs and local volumes, minus requests", () => {
    const order = ranked("nodefs.available", [
      { name: "logs", logs: 30 },
      { name: "volume", volume: 50, requests: { "ephemeral-storage": "45Mi" } },
      { name: "layer", rootfs: 40 },
      { name: "within", rootfs: 90, requests: { "ephemeral-storage": "100Mi" } },
    ]);
    expect(order).toEqual(["layer", "logs", "volume", "within"]);
  });

  test("with a separate image file system counts only the files on the file system under pressure", () => {
    const pods = [
      { name: "layer", rootfs: 40 },
      { name: "logs", logs: 30 },
    ];
    expect(ranked("nodefs.available", pods, { dedicatedImageFs: true })).toEqual(["logs", "layer"]);
    expect(ranked("imagefs.available", pods, { dedicatedImageFs: true })).toEqual(["layer", "logs"]);
  });

  test("never includes a static pod or a critical pod", () => {
    expect(isCritical(aPod({ priority: 2_000_000_000 }))).toBe(true);
    expect(isCritical({ ...aPod({}), [manifestPath]: "/manifests/web.yaml" })).toBe(true);
    // Any user who may create a pod may write this annotation.
    const claims = { metadata: { annotations: { "kubernetes.io/config.source": "file" } } };
    expect(isCritical(aPod({}, claims))).toBe(false);
    expect(isCritical(aPod({ priority: 1_000_000_000 }))).toBe(false);
  });
});

test("the message states the scarce resource, the shortage, and the container that used more than it requested", () => {
  const { pod, stats } = candidate({ name: "web", requests: { memory: "16Mi" }, memory: 64 });
  const thresholds = parseThresholds({
    hard: ["memory.available<10%"],
    soft: [],
    softGracePeriod: [],
    minimumReclaim: [],
  });
  const observations = { "memory.available": { available: 50 * mebibyte, capacity: 1000 * mebibyte } };
  expect(evictionMessage(pod, stats, { thresholds, observations })).toBe(
    "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. " +
      "Container c was using 64Mi, request is 16Mi, has larger consumption of memory. ",
  );
});

describe("a pod exceeds its own limits on local storage", () => {
  test.each([
    {
      when: "an emptyDir contains more than its size",
      of: { sizeLimit: "10Mi", volume: 11 },
      says: 'Usage of EmptyDir volume "cache" exceeds the limit "10Mi". ',
    },
    {
      when: "everything together is more than the containers may have",
      of: { limits: { "ephemeral-storage": "20Mi" }, volume: 15, rootfs: 6 },
      says: "Pod ephemeral local storage usage exceeds the total limit of containers 20Mi. ",
    },
    { when: "nothing is exceeded", of: { limits: { "ephemeral-storage": "20Mi" }, rootfs: 20 }, says: undefined },
    { when: "nothing is limited", of: { rootfs: 1000, volume: 1000 }, says: undefined },
  ])("when $when", ({ of, says }) => {
    const { pod, stats } = candidate({ name: "web", ...of });
    expect(judgeLocalStorage(pod, stats, { dedicatedImageFs: false })?.message).toBe(says);
  });

  test("when a container of several exceeds its limit", () => {
    const { stats } = candidate({ name: "web", logs: 3, rootfs: 8 });
    const limits = { "ephemeral-storage": "10Mi" };
    const pod = aPod({
      containers: [
        { name: "c", image: "busybox", resources: { limits } },
        { name: "other", image: "busybox", resources: { limits: { "ephemeral-storage": "1Gi" } } },
      ],
    });
    expect(judgeLocalStorage(pod, stats, { dedicatedImageFs: false })).toEqual({
      signal: "ephemeralcontainerfs.limit",
      message: 'Container c exceeded its local ephemeral storage limit "10Mi". ',
    });
    expect(judgeLocalStorage(pod, stats, { dedicatedImageFs: true })).toBeUndefined();
  });
});
