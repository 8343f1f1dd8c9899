import { compareQuantities, podLimits, podRequests } from "@kintsugi/api";
import { cpuPeriodUs, cpuQuotaUs, cpuShares, cpuSharesMin } from "./container-resources.ts";
import type { ReservedResources } from "../../node/registration/node-object.ts";
import { type BoundPod, containersOf } from "../../model/bound-pod.ts";
import { podQos } from "../../model/pod-qos.ts";

// What the cgroups above a container's own may use (pkg/kubelet/cm), by the example of a node with 4 cores and 8 GiB, 500m and
// 1 GiB of which are reserved, and a Burstable pod that asks for 250m, 128 MiB and may have 500m, 256 MiB:
//
//   kubepods                        shares 3584, memory 7 GiB    all pods together leave the node what is reserved
//   kubepods/pod<uid>                                            Guaranteed pods
//   kubepods/burstable              shares 256                   what all Burstable pods ask for
//   kubepods/burstable/pod<uid>     shares 256, quota 50 ms of 100 ms, memory 256 MiB
//   kubepods/besteffort             shares 2                     gets what nobody else wants

/** What a cgroup may use; what is absent stays as it is. */
export interface CgroupLimits {
  /** Its weight beside its siblings, 1024 for a core. */
  cpuShares?: number;
  /** Of every 100 ms. */
  cpuQuotaUs?: number;
  memoryBytes?: number;
  pidsMax?: number;
}

/** The bounds of a pod as a whole (ResourceConfigForPod): a limit holds for the pod only where every container has one. */
export function podCgroupLimits(pod: BoundPod, podPidsMax?: number): CgroupLimits {
  const pids = podPidsMax === undefined ? {} : { pidsMax: podPidsMax };
  const qos = podQos(pod);
  if (qos === "BestEffort") return { cpuShares: cpuSharesMin, ...pids };
  const { cpu: requestMillicores = 0 } = podRequests(pod);
  const { cpu: limitMillicores = 0, memory = 0 } = podLimits(pod);
  return {
    cpuShares: cpuShares(requestMillicores),
    ...(isLimited(pod, "cpu") ? { cpuQuotaUs: cpuQuotaUs(limitMillicores) } : {}),
    ...(isLimited(pod, "memory") ? { memoryBytes: memory } : {}),
    ...pids,
  };
}

/** The weight of all Burstable pods together is what they ask for together (setCPUCgroupConfig). */
export function burstableLimits(pods: readonly BoundPod[]): CgroupLimits {
  const burstable = pods.filter((pod) => podQos(pod) === "Burstable");
  return { cpuShares: cpuShares(burstable.reduce((sum, pod) => sum + (podRequests(pod)["cpu"] ?? 0), 0)) };
}

export const bestEffortLimits: CgroupLimits = { cpuShares: cpuSharesMin };

/** All pods together may use what is not reserved; the eviction thresholds lie below that (getNodeAllocatableInternalAbsolute). */
export function allPodsLimits(
  capacity: { cpuMillicores: number; memoryBytes: number },
  reserved: ReservedResources,
): CgroupLimits {
  return {
    cpuShares: cpuShares(Math.max(0, capacity.cpuMillicores - reserved.cpuMillicores)),
    memoryBytes: Math.max(0, capacity.memoryBytes - reserved.memoryBytes),
  };
}

/** One file of a cgroup and what it is to say. */
export interface CgroupSetting {
  /** The hierarchy it is in; of no meaning in version 2. */
  controller: "cpu" | "memory" | "pids";
  file: string;
  value: string;
}

export function cgroupSettings(limits: CgroupLimits, version: 1 | 2): CgroupSetting[] {
  const { cpuShares: shares, cpuQuotaUs: quota, memoryBytes, pidsMax } = limits;
  const settings: (CgroupSetting | undefined)[] = [
    shares === undefined
      ? undefined
      : version === 1
        ? { controller: "cpu", file: "cpu.shares", value: String(shares) }
        : { controller: "cpu", file: "cpu.weight", value: String(cpuWeight(shares)) },
    ...(quota === undefined ? [] : quotaSettings(quota, version)),
    memoryBytes === undefined
      ? undefined
      : {
          controller: "memory",
          file: version === 1 ? "memory.limit_in_bytes" : "memory.max",
          value: String(memoryBytes),
        },
    pidsMax === undefined ? undefined : { controller: "pids", file: "pids.max", value: String(pidsMax) },
  ];
  return settings.filter((setting) => setting !== undefined);
}

/** Whether a setting allows less than what the file says now: then what is below has to be lowered first. */
export function isLower({ file, value }: CgroupSetting, now: string): boolean {
  const amount = (text: string) => {
    const [first = ""] = text.trim().split(" ");
    return first === "max" || first === "-1" ? Infinity : Number(first);
  };
  const isBound = /^(cpu\.cfs_quota_us|cpu\.max|memory\.limit_in_bytes|memory\.max|pids\.max)$/.test(file);
  return isBound && amount(value) < amount(now);
}

function quotaSettings(quotaUs: number, version: 1 | 2): CgroupSetting[] {
  if (version === 2) return [{ controller: "cpu", file: "cpu.max", value: `${quotaUs} ${cpuPeriodUs}` }];
  return [
    { controller: "cpu", file: "cpu.cfs_period_us", value: String(cpuPeriodUs) },
    { controller: "cpu", file: "cpu.cfs_quota_us", value: String(quotaUs) },
  ];
}

/** From 2 … 262144 to 1 … 10000, as upstream converts (CpuSharesToCpuWeight of KEP-2254). */
function cpuWeight(shares: number): number {
  return 1 + Math.floor(((shares - 2) * 9999) / 262_142);
}

function isLimited(pod: BoundPod, resource: "cpu" | "memory"): boolean {
  if (pod.spec.resources?.limits?.[resource] !== undefined) return true;
  return containersOf(pod).every(({ resources }) => {
    const limit = resources?.limits?.[resource];
    return limit !== undefined && compareQuantities(limit, "0") > 0;
  });
}
