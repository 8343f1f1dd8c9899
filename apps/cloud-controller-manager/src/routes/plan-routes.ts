import {
  containsRange,
  formatTimestamp,
  type Ipv4Range,
  ipv4RangeOf,
  type Node,
  type NodeCondition,
  type NodeStatus,
} from "@kintsugi/api";
import type { CloudRoute } from "@kintsugi/cloud";

/** Steps that make the cloud's routes match the routes that nodes need. */
export interface RouteSteps {
  readonly remove: readonly CloudRoute[];
  readonly ensure: readonly CloudRoute[];
}

/**
 * Plans the routes that direct packets for a node's pods to that node. Routes outside the cluster's
 * range belong to another owner (upstream's isResponsibleForRoute).
 */
export function planCloudRoutes(nodes: readonly Node[], routes: readonly CloudRoute[], cluster: Ipv4Range): RouteSteps {
  const wanted = nodes.flatMap((node) => routeOf(node) ?? []);
  const same = (a: CloudRoute, b: CloudRoute) => a.cidr === b.cidr && a.target === b.target && a.address === b.address;
  return {
    ensure: wanted.filter((route) => !routes.some((each) => same(each, route))),
    remove: routes.filter((route) => {
      const range = ipv4RangeOf(route.cidr);
      const isOurs = range !== undefined && containsRange(cluster, range);
      // A range that now belongs to another machine is changed instead of removed.
      return isOurs && !wanted.some(({ cidr }) => cidr === route.cidr);
    }),
  };
}

/** Returns the route that the node needs; undefined while its range or address is unknown. */
export function routeOf({ metadata, spec, status }: Node): CloudRoute | undefined {
  if (metadata.deletionTimestamp !== undefined || (spec?.providerID ?? "") === "") return undefined;
  const ranges = spec?.podCIDRs ?? (spec?.podCIDR === undefined ? [] : [spec.podCIDR]);
  const cidr = ranges.find((range) => ipv4RangeOf(range) !== undefined);
  const address = status?.addresses?.find(
    ({ type, address: text }) => type === "InternalIP" && !text.includes(":"),
  )?.address;
  return cidr === undefined || address === undefined ? undefined : { cidr, target: metadata.name ?? "", address };
}

/**
 * Returns the node's status with the condition NetworkUnavailable; undefined where the status
 * already has the condition. By this condition, a node without a route gets the taint
 * `node.kubernetes.io/network-unavailable`.
 */
export function planNetworkCondition(
  { status }: Node,
  { hasRoute, nowMs }: { hasRoute: boolean; nowMs: number },
): NodeStatus | undefined {
  const before = status?.conditions ?? [];
  const wanted = hasRoute ? "False" : "True";
  if (before.find(({ type }) => type === "NetworkUnavailable")?.status === wanted) return undefined;
  const now = formatTimestamp(nowMs);
  const condition: NodeCondition = {
    type: "NetworkUnavailable",
    status: wanted,
    reason: hasRoute ? "RouteCreated" : "NoRouteCreated",
    message: hasRoute ? "RouteController created a route" : "RouteController failed to create a route",
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  return { ...status, conditions: [...before.filter(({ type }) => type !== "NetworkUnavailable"), condition] };
}
