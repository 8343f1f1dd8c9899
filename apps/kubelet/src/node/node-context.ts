import { join } from "node:path";
import { podLogDirectoryName } from "../runtime/labels.ts";

/** What is the same for every pod of this node. */
export interface NodeContext {
  nodeName: string;
  /** The first is the node's InternalIP. */
  nodeIps: readonly string[];
  rootDirectory: string;
  /** Below it, one directory per pod with its containers' logs. */
  podLogsDirectory: string;
  /** The parent of all pods' cgroups: "/kintsugi/lab/node-1/kubepods". */
  podsCgroup: string;
  clusterDomain: string;
  clusterDnsServers: readonly string[];
  memoryCapacityBytes: number;
  /** Allocatable, as resourceFieldRef defaults to it. */
  allocatable: { cpuMillicores: number; memoryBytes: number; ephemeralStorageBytes: number };
}

export function podDirectory(node: NodeContext, uid: string): string {
  return join(node.rootDirectory, "pods", uid);
}

export function podLogDirectory(node: NodeContext, pod: { namespace: string; name: string; uid: string }): string {
  return join(node.podLogsDirectory, podLogDirectoryName(pod));
}
