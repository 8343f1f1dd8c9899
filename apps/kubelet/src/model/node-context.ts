import { join } from "node:path";
import { podLogDirectoryName } from "./labels.ts";

/** The settings that are the same for every pod of this node. */
export interface NodeContext {
  nodeName: string;
  /** The first is the node's InternalIP. */
  nodeIps: readonly string[];
  rootDirectory: string;
  /** The parent of one directory per pod with its containers' logs. */
  podLogsDirectory: string;
  /** A directory in memory (a tmpfs), for Secrets and for emptyDirs of that medium. */
  memoryDirectory: string;
  /** The parent of all pods' cgroups: "/kintsugi/lab/node-1/kubepods". */
  podsCgroup: string;
  /** A proxy leads from this node to the addresses of Services. */
  hasProxy: boolean;
  /**
   * The address at which pods reach the API where no Service leads there, for their variables;
   * undefined when they get none.
   */
  apiServer: (() => { host: string; port: string }) | undefined;
  clusterDomain: string;
  clusterDnsServers: readonly string[];
  /**
   * All resources of the node, and those that no pod gets; eviction keeps some free beside the
   * latter.
   */
  capacity: { cpuMillicores: number; memoryBytes: number };
  reserved: ReservedResources;
  /** The kernel can kill a container as a whole: only cgroup v2 can. */
  groupOomKill: boolean;
  /**
   * Reports whether mounts below a mount can be read-only too, which is known once the runtime has
   * answered.
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
