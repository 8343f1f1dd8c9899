import { type Container, cpuMillicores, isSidecar, memoryBytes } from "@kintsugi/api";
import type { LinuxContainerResources } from "@kintsugi/cri";
import type { BoundPod } from "../../model/bound-pod.ts";
import { cpuPeriodUs } from "../../machine/kernel/cgroup-settings.ts";
import { podQos } from "../../model/pod-qos.ts";

const cpuQuotaMinUs = 1000;
export const cpuSharesMin = 2;
const cpuSharesMax = 262_144;
/**
 * The kernel chooses processes to kill by these scores when memory is short; upstream's values
 * (qos/policy.go).
 */
const guaranteedOomScoreAdj = -997;
const bestEffortOomScoreAdj = 1000;

/**
 * Requests and limits as cgroup settings (helpers_linux.go, kuberuntime_container_linux.go). A
 * container without its own limit has the pod's limit, which all containers of the pod share.
 */
export function containerResources(
  pod: BoundPod,
  container: Pick<Container, "resources">,
  memoryCapacityBytes: number,
): LinuxContainerResources {
  const { requests = {}, limits = {} } = container.resources ?? {};
  const ofPod = pod.spec.resources?.limits ?? {};
  const limitMillicores = cpuMillicores(limits["cpu"] ?? ofPod["cpu"]);
  // A limit without a request is also the request.
  const requestMillicores = requests["cpu"] === undefined ? limitMillicores : cpuMillicores(requests["cpu"]);
  return {
    cpuPeriod: limitMillicores > 0 ? cpuPeriodUs : 0,
    cpuQuota: limitMillicores > 0 ? cpuQuotaUs(limitMillicores) : 0,
    cpuShares: cpuShares(requestMillicores),
    memoryLimitBytes: memoryBytes(limits["memory"] ?? ofPod["memory"]),
    oomScoreAdj: oomScoreAdj(
      pod,
      memoryBytes(requests["memory"] ?? limits["memory"]) + sharedRequestBytes(pod),
      memoryCapacityBytes,
    ),
  };
}

export function cpuShares(millicores: number): number {
  return Math.min(cpuSharesMax, Math.max(cpuSharesMin, Math.floor((millicores * 1024) / 1000)));
}

export function cpuQuotaUs(limitMillicores: number): number {
  return Math.max(cpuQuotaMinUs, (limitMillicores * cpuPeriodUs) / 1000);
}

/**
 * A container's part of the memory that the pod requests in addition to its containers' requests
 * (GetContainerOOMScoreAdjust).
 */
function sharedRequestBytes({ spec }: BoundPod): number {
  const ofPod = spec.resources?.requests?.["memory"];
  if (ofPod === undefined) return 0;
  const containers = [...spec.containers, ...(spec.initContainers ?? []).filter(isSidecar)];
  const own = containers.reduce((sum, { resources }) => sum + memoryBytes(resources?.requests?.["memory"]), 0);
  return Math.max(0, Math.floor((memoryBytes(ofPod) - own) / containers.length));
}

/** The more of the node's memory a Burstable container requests, the later it is killed. */
function oomScoreAdj(pod: BoundPod, memoryRequestBytes: number, memoryCapacityBytes: number): number {
  switch (podQos(pod)) {
    case "Guaranteed":
      return guaranteedOomScoreAdj;
    case "BestEffort":
      return bestEffortOomScoreAdj;
    case "Burstable": {
      const adjusted = 1000 - Math.floor((1000 * memoryRequestBytes) / memoryCapacityBytes);
      if (adjusted < 1000 + guaranteedOomScoreAdj) return 1000 + guaranteedOomScoreAdj;
      return adjusted === bestEffortOomScoreAdj ? adjusted - 1 : adjusted;
    }
  }
}
