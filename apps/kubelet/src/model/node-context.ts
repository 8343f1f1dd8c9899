import { join } from "node:path";
import { podLogDirectoryName } from "./labels.ts";

/** What is the same for every pod of this node. */
export interface NodeContext {
  nodeName: string;
  /** The first is the node's InternalIP. */
  nodeIps: readonly string[];
  rootDirectory: string;
  /** Below it, one directory per pod with its containers' logs. */
  podLogsDirectory: string;
  /** In memory (a tmpfs), for Secrets and for emptyDirs of that medium. */
  memoryDirectory: string;
  /** The parent of all pods' cgroups: "/kintsugi/lab/node-1/kubepods". */
  podsCgroup: string;
  /** Whether a proxy leads from this node to the addresses of Services. */
  hasProxy: boolean;
  /**
   * Where pods reach the API where no Service leads there, told in their variables; undefined when
   * they are not told.
   */
  apiServer: (() => { host: string; port: string }) | undefined;
  clusterDomain: string;
  clusterDnsServers: readonly string[];
  /**
   * All that the node has, and what of it no pod gets; beside the latter, eviction keeps something
   * free.
   */
  capacity: { cpuMillicores: number; memoryBytes: number };
  reserved: ReservedResources;
  /** Whether the kernel can kill a container as a whole: only cgroup v2 can. */
  groupOomKill: boolean;
  /**
   * Whether what lies below a mount can be read-only too, which the runtime says once it answers.
   */
  mountsRecursively: () => boolean;
  /** Allocatable, as resourceFieldRef defaults to it. */
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
