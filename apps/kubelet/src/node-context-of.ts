import { canMountRecursively } from "./containers/config/recursive-read-only.ts";
import type { KubeletOptions } from "./kubelet-options.ts";
import { podsCgroupBelow } from "./machine/kernel/cgroups.ts";
import type { MachineFacts } from "./machine/kernel/machine.ts";
import type { NodeContext, ReservedResources } from "./model/node-context.ts";
import type { RuntimeHealth } from "./runtime/observation/runtime-health.ts";

/** Collects from the options and the machine the facts that apply to every pod. */
export function nodeContextOf(
  { apiServer, health }: Partial<Pick<NodeContext, "apiServer">> & { health: Pick<RuntimeHealth, "handlers"> },
  options: KubeletOptions,
  { facts, withheld }: { facts: MachineFacts; withheld: ReservedResources },
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
    mountsRecursively: () => canMountRecursively(health.handlers()),
    allocatable: {
      cpuMillicores: facts.cpuMillicores - withheld.cpuMillicores,
      memoryBytes: facts.memoryBytes - withheld.memoryBytes,
      ephemeralStorageBytes: facts.ephemeralStorageBytes - withheld.ephemeralStorageBytes,
    },
  };
}
