import { nodeUserPrefix } from "@kintsugi/api";
import { clusterFilter, marksSubject, nodeFilter, resourceFilter } from "../subjects.ts";
import type { SubjectPermissions } from "./nats-jwt.ts";

/** The caller that requests bus credentials, as authenticated by the API server. */
export interface BusCaller {
  readonly name: string;
  readonly groups: readonly string[];
}

/**
 * Limit on subscriptions. A kubelet and a proxy each have six subscriptions. The bus uses about 300
 * bytes for a subscription, and sends each change once for each subscription, so a node with
 * millions of subscriptions would fill the bus and slow it down for all clients.
 */
const nodeSubscriptionsMax = 64;
/** The objects of one node: the pods bound to it, the Node itself, its Lease. */
const nodeResources = [
  { group: "", resource: "pods" },
  { group: "", resource: "nodes" },
  { group: "coordination.k8s.io", resource: "leases" },
] as const;
/**
 * The user of the proxies of one host; on a machine that joined, a proxy has its node's identity.
 */
const proxyUser = "system:kube-proxy";
/** A node's proxy follows these kinds in addition to its Node: Services, and their endpoints. */
const proxyResources = [
  { group: "", resource: "services" },
  { group: "discovery.k8s.io", resource: "endpointslices" },
] as const;
/** Services that follow all resources. */
const followers = new Set(["system:kube-scheduler", "system:kube-controller-manager"]);

/** Only the API server's relay publishes. */
export function publisherPermissions(cluster: string): SubjectPermissions {
  return { publish: [clusterFilter(cluster)], subscribe: [] };
}

/**
 * Returns the subjects to which a caller may subscribe; undefined for callers that do not need the
 * bus. Only the API server may publish.
 */
export function permissionsFor(cluster: string, caller: BusCaller): SubjectPermissions | undefined {
  if (caller.groups.includes("system:nodes") && caller.name.startsWith(nodeUserPrefix)) {
    const node = caller.name.slice(nodeUserPrefix.length);
    // An empty name would represent the objects that belong to no node.
    if (node === "") return undefined;
    const own = nodeResources.map((scope) => nodeFilter({ cluster, ...scope }, node));
    const subscribe = [...own, ...proxyFilters(cluster)];
    return { publish: [], subscribe, subscriptionsMax: nodeSubscriptionsMax };
  }
  if (caller.name === proxyUser) {
    const everyNode = resourceFilter({ cluster, group: "", resource: "nodes" });
    const subscribe = [...proxyFilters(cluster), everyNode];
    return { publish: [], subscribe, subscriptionsMax: nodeSubscriptionsMax };
  }
  if (followers.has(caller.name) || caller.groups.includes("system:masters"))
    return { publish: [], subscribe: [clusterFilter(cluster)] };
  return undefined;
}

/** The filters include the marks, by which a follower of a whole resource detects its gaps. */
function proxyFilters(cluster: string): string[] {
  return [...proxyResources.map((scope) => resourceFilter({ cluster, ...scope })), marksSubject(cluster)];
}
