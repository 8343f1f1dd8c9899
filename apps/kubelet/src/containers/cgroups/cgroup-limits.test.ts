import { expect, test } from "vitest";
import { aPod } from "../../testing/builders.ts";
import { cgroupSettings, isLower } from "../../machine/kernel/cgroup-settings.ts";
import type { CgroupLimits } from "../../machine/kernel/cgroups.ts";
import { allPodsLimits, burstableLimits, podCgroupLimits } from "./cgroup-limits.ts";

const mebibyte = 1024 * 1024;

interface Asks {
  requests?: Record<string, string>;
  limits?: Record<string, string>;
}

function podOf(containers: Asks[], initContainers: Asks[] = [], overhead?: Record<string, string>) {
  const named = (asks: Asks[], prefix: string) =>
    asks.map((resources, i) => ({ name: `${prefix}${i}`, image: "busybox", resources }));
  return aPod({
    containers: named(containers, "c"),
    initContainers: named(initContainers, "i"),
    ...(overhead ? { overhead } : {}),
  });
}

const guaranteed = { limits: { cpu: "500m", memory: "64Mi" } };

test.each<[string, ReturnType<typeof podOf>, CgroupLimits]>([
  ["requests nothing: the least share", podOf([{}]), { cpuShares: 2 }],
  [
    "is Guaranteed: the sums of its containers",
    podOf([guaranteed, guaranteed].map(({ limits }) => ({ limits, requests: limits }))),
    { cpuShares: 1024, cpuQuotaUs: 100_000, memoryBytes: 128 * mebibyte },
  ],
  [
    "has one unlimited container: the pod is unlimited",
    podOf([{ requests: { cpu: "250m" }, limits: { cpu: "500m", memory: "64Mi" } }, { requests: { cpu: "250m" } }]),
    { cpuShares: 512 },
  ],
  [
    "limits the memory of all its containers, but not their cpu",
    podOf([{ limits: { memory: "64Mi" }, requests: { memory: "32Mi" } }]),
    { cpuShares: 2, memoryBytes: 64 * mebibyte },
  ],
  [
    "has an init container with a larger request: its request",
    podOf(
      [{ limits: { memory: "64Mi", cpu: "100m" }, requests: { cpu: "100m" } }],
      [{ limits: { memory: "256Mi", cpu: "1" }, requests: { cpu: "1" } }],
    ),
    { cpuShares: 1024, cpuQuotaUs: 100_000, memoryBytes: 256 * mebibyte },
  ],
  [
    "has an init container without limits: the pod is unlimited",
    podOf([{ limits: { memory: "64Mi" } }], [{}]),
    { cpuShares: 2 },
  ],
  [
    "has overhead: the overhead is added",
    podOf([{ limits: { memory: "64Mi", cpu: "100m" }, requests: { cpu: "50m" } }], [], { cpu: "50m", memory: "16Mi" }),
    { cpuShares: 102, cpuQuotaUs: 15_000, memoryBytes: 80 * mebibyte },
  ],
])("the cgroup of a pod that %s", (_, pod, limits) => {
  expect(podCgroupLimits(pod)).toEqual(limits);
  expect(podCgroupLimits(pod, 100)).toEqual({ ...limits, pidsMax: 100 });
});

test("the class of Burstable pods has the weight of their requests, and other pods do not count", () => {
  const burstable = podOf([{ requests: { cpu: "250m" } }]);
  expect(burstableLimits([])).toEqual({ cpuShares: 2 });
  expect(burstableLimits([burstable, podOf([{}]), podOf([guaranteed]), burstable])).toEqual({ cpuShares: 512 });
});

test("all pods together get the resources that are not reserved", () => {
  const capacity = { cpuMillicores: 4000, memoryBytes: 8192 * mebibyte };
  const reserved = { cpuMillicores: 500, memoryBytes: 1024 * mebibyte, ephemeralStorageBytes: 0 };
  expect(allPodsLimits(capacity, reserved)).toEqual({ cpuShares: 3584, memoryBytes: 7168 * mebibyte });
});

test.each<[1 | 2, string[]]>([
  [
    1,
    [
      "cpu/cpu.shares=1024",
      "cpu/cpu.cfs_period_us=100000",
      "cpu/cpu.cfs_quota_us=50000",
      "memory/memory.limit_in_bytes=1048576",
      "pids/pids.max=9",
    ],
  ],
  [2, ["cpu/cpu.weight=39", "cpu/cpu.max=50000 100000", "memory/memory.max=1048576", "pids/pids.max=9"]],
])("in version %i of cgroups", (version, files) => {
  const limits = { cpuShares: 1024, cpuQuotaUs: 50_000, memoryBytes: mebibyte, pidsMax: 9 };
  const said = cgroupSettings(limits, version).map(({ controller, file, value }) => `${controller}/${file}=${value}`);
  expect(said).toEqual(files);
  expect(cgroupSettings({}, version)).toEqual([]);
});

test.each([
  [2, "1"],
  [262_144, "10000"],
])("%i shares have the weight %s", (cpuShares, weight) => {
  expect(cgroupSettings({ cpuShares }, 2)).toMatchObject([{ value: weight }]);
});

test.each([
  ["memory.limit_in_bytes", "100", "200\n", true],
  ["memory.limit_in_bytes", "300", "200\n", false],
  ["memory.max", "100", "max\n", true],
  ["cpu.max", "50000 100000", "max 100000\n", true],
  ["cpu.max", "50000 100000", "20000 100000\n", false],
  ["cpu.cfs_quota_us", "50000", "-1\n", true],
  ["cpu.cfs_period_us", "100000", "200000\n", false],
  ["cpu.shares", "2", "1024\n", false],
  ["pids.max", "5", "max\n", true],
])("%s from %s: lower than %j: %s", (file, value, now, lower) => {
  expect(isLower({ controller: "cpu", file, value }, now)).toBe(lower);
});
