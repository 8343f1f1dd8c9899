import { clusterFilter, marksSubject, nodeFilter, resourceFilter } from "../subjects.ts";
import type { SubjectPermissions } from "./nats-jwt.ts";

/** Who asks for bus credentials, as the API server has authenticated it. */
export interface BusCaller {
  readonly name: string;
  readonly groups: readonly string[];
}

const nodeUser = "system:node:";
/** What concerns one node: the pods bound to it, the Node itself, its Lease. */
const nodeResources = [
  { group: "", resource: "pods" },
  { group: "", resource: "nodes" },
  { group: "coordination.k8s.io", resource: "leases" },
] as const;
/** Whom the proxies of one host are; on a machine that joined a proxy has its node's identity. */
const proxyUser = "system:kube-proxy";
/** What a node's proxy follows besides its Node: Services, and where they lead. */
const proxyResources = [
  { group: "", resource: "services" },
  { group: "discovery.k8s.io", resource: "endpointslices" },
] as const;
/** Services that follow everything. */
const followers = new Set(["system:kube-scheduler", "system:kube-controller-manager"]);

/** Only the API server's relay publishes. */
export function publisherPermissions(cluster: string): SubjectPermissions {
  return { publish: [clusterFilter(cluster)], subscribe: [] };
}

/**
 * What a caller may hear; undefined for those that have no business on the bus. Nobody but the API
 * server may publish.
 */
export function permissionsFor(cluster: string, caller: BusCaller): SubjectPermissions | undefined {
  if (caller.groups.includes("system:nodes") && caller.name.startsWith(nodeUser)) {
    const node = caller.name.slice(nodeUser.length);
    // No name would stand for the objects that belong to no node.
    if (node === "") return undefined;
    const own = nodeResources.map((scope) => nodeFilter({ cluster, ...scope }, node));
    return { publish: [], subscribe: [...own, ...proxyFilters(cluster)] };
  }
  if (caller.name === proxyUser) {
    const everyNode = resourceFilter({ cluster, group: "", resource: "nodes" });
    return { publish: [], subscribe: [...proxyFilters(cluster), everyNode] };
  }
  if (followers.has(caller.name) || caller.groups.includes("system:masters"))
    return { publish: [], subscribe: [clusterFilter(cluster)] };
  return undefined;
}

/** With the marks, by which whoever follows a whole resource learns what it has missed. */
function proxyFilters(cluster: string): string[] {
  return [...proxyResources.map((scope) => resourceFilter({ cluster, ...scope })), marksSubject(cluster)];
}
