import type { RuntimeHandler } from "@kintsugi/cri";
import { canMountRecursively } from "./containers/config/recursive-read-only.ts";
import type { KubeletOptions } from "./kubelet-options.ts";
import { podsCgroupBelow } from "./machine/kernel/cgroups.ts";
import type { MachineFacts } from "./machine/kernel/machine.ts";
import type { NodeContext, ReservedResources } from "./model/node-context.ts";

/** What of the options and of the machine concerns every pod. */
export function nodeContextOf(
  { apiServer, handlers }: Partial<Pick<NodeContext, "apiServer">> & { handlers: () => readonly RuntimeHandler[] },
  options: KubeletOptions,
  { facts, reserved }: { facts: MachineFacts; reserved: ReservedResources },
): NodeContext {
  const { nodeName, nodeIps, rootDirectory, podLogsDirectory, memoryDirectory } = options;
  const { hasProxy, clusterDomain, clusterDnsServers } = options;
  return {
    nodeName,
    nodeIps,
    rootDirectory,
    podLogsDirectory,
    memoryDirectory,
    hasProxy,
    apiServer,
    podsCgroup: podsCgroupBelow(options.cgroupRoot),
    clusterDomain,
    clusterDnsServers,
    capacity: { cpuMillicores: facts.cpuMillicores, memoryBytes: facts.memoryBytes },
    reserved: options.reserved,
    groupOomKill: facts.cgroupVersion === 2,
    mountsRecursively: () => canMountRecursively(handlers()),
    allocatable: {
      cpuMillicores: facts.cpuMillicores - reserved.cpuMillicores,
      memoryBytes: facts.memoryBytes - reserved.memoryBytes,
      ephemeralStorageBytes: facts.ephemeralStorageBytes - reserved.ephemeralStorageBytes,
    },
  };
}
