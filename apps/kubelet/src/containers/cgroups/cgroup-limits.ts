import { compareQuantities, podLimits, podRequests } from "@kintsugi/api";
import { cpuQuotaUs, cpuShares, cpuSharesMin } from "./container-resources.ts";
import type { CgroupLimits } from "../../machine/kernel/cgroups.ts";
import type { ReservedResources } from "../../model/node-context.ts";
import { type BoundPod, containersOf } from "../../model/bound-pod.ts";
import { podQos } from "../../model/pod-qos.ts";

// Limits of the cgroups above a container's own (pkg/kubelet/cm), by the example of a node with 4
// cores and 8 GiB, 500m and 1 GiB of which are reserved, and a Burstable pod with requests of 250m,
// 128 MiB and limits of 500m, 256 MiB:
//
//   kubepods                      shares 3584, memory 7 GiB  the node reserves the rest
//   kubepods/pod<uid>                                        Guaranteed pods
//   kubepods/burstable            shares 256                 the requests of all Burstable pods
//   kubepods/burstable/pod<uid>   shares 256, quota 50 ms of 100 ms, memory 256 MiB
//   kubepods/besteffort           shares 2                   gets the rest

/**
 * The limits of a pod as a whole (ResourceConfigForPod). The pod has a limit only where every
 * container has a limit.
 */
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

/** The weight of all Burstable pods together is the sum of their requests (setCPUCgroupConfig). */
export function burstableLimits(pods: readonly BoundPod[]): CgroupLimits {
  const burstable = pods.filter((pod) => podQos(pod) === "Burstable");
  return { cpuShares: cpuShares(burstable.reduce((sum, pod) => sum + (podRequests(pod)["cpu"] ?? 0), 0)) };
}

export const bestEffortLimits: CgroupLimits = { cpuShares: cpuSharesMin };

/**
 * All pods together may use the resources that are not reserved. The eviction thresholds are below
 * this amount (getNodeAllocatableInternalAbsolute).
 */
export function allPodsLimits(
  capacity: { cpuMillicores: number; memoryBytes: number },
  reserved: ReservedResources,
): CgroupLimits {
  return {
    cpuShares: cpuShares(Math.max(0, capacity.cpuMillicores - reserved.cpuMillicores)),
    memoryBytes: Math.max(0, capacity.memoryBytes - reserved.memoryBytes),
  };
}

function isLimited(pod: BoundPod, resource: "cpu" | "memory"): boolean {
  if (pod.spec.resources?.limits?.[resource] !== undefined) return true;
  return containersOf(pod).every(({ resources }) => {
    const limit = resources?.limits?.[resource];
    return limit !== undefined && compareQuantities(limit, "0") > 0;
  });
}
