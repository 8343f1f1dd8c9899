import { join } from "node:path";
import { podLogDirectoryName } from "./labels.ts";

/** The settings that are the same for every pod of this node. */
export interface NodeContext {
  nodeName: string;
  /** The first address is the node's InternalIP. */
  nodeIps: readonly string[];
  rootDirectory: string;
  /** The directory with one subdirectory per pod for its containers' logs. */
  podLogsDirectory: string;
  /** A directory in memory (a tmpfs), for Secrets and for emptyDirs of that medium. */
  memoryDirectory: string;
  /** The parent of all pods' cgroups: "/kintsugi/lab/node-1/kubepods". */
  podsCgroup: string;
  /** True where a proxy on this node serves the addresses of Services. */
  hasProxy: boolean;
  /**
   * The address in pods' variables at which they reach the API where the Service does not lead
   * there; undefined when they do not get an address.
   */
  apiServer: (() => { host: string; port: string }) | undefined;
  clusterDomain: string;
  clusterDnsServers: readonly string[];
  /**
   * All resources of the node, and the resources that pods do not get. Eviction keeps more
   * resources free in addition.
   */
  capacity: { cpuMillicores: number; memoryBytes: number };
  reserved: ReservedResources;
  /** True where the kernel can kill a container as a whole, which only cgroup v2 can. */
  groupOomKill: boolean;
  /**
   * Reports whether mounts below a mount can also be read-only, which is known after the runtime
   * has answered.
   */
  mountsRecursively: () => boolean;
  /** The allocatable resources, to which resourceFieldRef defaults. */
  allocatable: { cpuMillicores: number; memoryBytes: number; ephemeralStorageBytes: number };
}

export function podDirectory(node: NodeContext, uid: string): string {
  return join(node.rootDirectory, "pods", uid);
}

export function podLogDirectory(node: NodeContext, pod: { namespace: string; name: string; uid: string }): string {
  return join(node.podLogsDirectory, podLogDirectoryName(pod));
}

/** Resources that a node keeps from its pods. */
export interface ReservedResources {
  cpuMillicores: number;
  memoryBytes: number;
  ephemeralStorageBytes: number;
}
