import type { ClusterSpec, NodeSpec, ServerSpec } from "../cluster/cluster-spec.ts";
import { clusterAddresses, type MachineAddresses, nodeAddresses, serverAddresses } from "./addresses.ts";

/** The existing parts of a cluster's network. */
export interface ObservedNetwork {
  readonly links: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
}

/** Arguments of `ip`, in order; all of them may be repeated without harm. */
export type IpCommand = readonly string[];

/** Plans the commands that create the bridge. */
export function planBridge(spec: ClusterSpec, observed: ObservedNetwork): IpCommand[] {
  const { bridge, gateway } = clusterAddresses(spec);
  const commands: IpCommand[] = [];
  if (!observed.links.has(bridge)) commands.push(["link", "add", bridge, "type", "bridge"]);
  commands.push(["addr", "replace", `${gateway}/24`, "dev", bridge], ["link", "set", bridge, "up"]);
  for (const node of spec.nodes) {
    const { address, podCidr } = nodeAddresses(spec, node);
    commands.push(["route", "replace", podCidr, "via", address, "dev", bridge]);
  }
  return commands;
}

/**
 * Plans the commands that create one node's namespace and its cable. With `linkUp` false the cable
 * is unplugged.
 */
export function planNode(
  spec: ClusterSpec,
  node: NodeSpec,
  observed: ObservedNetwork & { linkUp: boolean },
): IpCommand[] {
  const others = spec.nodes.filter(({ index }) => index !== node.index);
  return planMachine(spec, { own: nodeAddresses(spec, node), others }, observed);
}

/** Plans the same for a server, which has no pods and reaches the pods of all nodes. */
export function planServer(
  spec: ClusterSpec,
  server: ServerSpec,
  observed: ObservedNetwork & { linkUp: boolean },
): IpCommand[] {
  return planMachine(spec, { own: serverAddresses(spec, server), others: spec.nodes }, observed);
}

function planMachine(
  spec: ClusterSpec,
  { own, others }: { own: MachineAddresses; others: readonly NodeSpec[] },
  observed: ObservedNetwork & { linkUp: boolean },
): IpCommand[] {
  const { bridge, gateway } = clusterAddresses(spec);
  const inside = (...command: string[]): IpCommand => ["-n", own.namespace, ...command];
  const commands: IpCommand[] = [];
  if (!observed.namespaces.has(own.namespace)) commands.push(["netns", "add", own.namespace]);
  if (!observed.links.has(own.hostLink)) {
    commands.push(["link", "add", own.hostLink, "type", "veth", "peer", "name", "eth0", "netns", own.namespace]);
  }
  commands.push(
    ["link", "set", own.hostLink, "master", bridge],
    ["link", "set", own.hostLink, observed.linkUp ? "up" : "down"],
    inside("link", "set", "lo", "up"),
    inside("addr", "replace", `${own.address}/24`, "dev", "eth0"),
    inside("link", "set", "eth0", "up"),
    inside("route", "replace", "default", "via", gateway),
  );
  for (const other of others) {
    const { address, podCidr } = nodeAddresses(spec, other);
    commands.push(inside("route", "replace", podCidr, "via", address));
  }
  return commands;
}

/** Plans the routes by which the other machines reach the pods of an added node. */
export function planRoutesTo(spec: ClusterSpec, node: NodeSpec, observed: ObservedNetwork): IpCommand[] {
  const { address, podCidr } = nodeAddresses(spec, node);
  return otherNamespaces(spec, node, observed).map((namespace) => [
    "-n",
    namespace,
    "route",
    "replace",
    podCidr,
    "via",
    address,
  ]);
}

/** Plans the commands that remove one node's namespace, its cable and the routes to it. */
export function planNodeRemoval(spec: ClusterSpec, node: NodeSpec, observed: ObservedNetwork): IpCommand[] {
  const { bridge } = clusterAddresses(spec);
  const { hostLink, namespace, podCidr } = nodeAddresses(spec, node);
  return [
    ...otherNamespaces(spec, node, observed).map((other): IpCommand => ["-n", other, "route", "flush", podCidr]),
    ["route", "flush", podCidr, "dev", bridge],
    ...(observed.links.has(hostLink) ? [["link", "del", hostLink]] : []),
    ...(observed.namespaces.has(namespace) ? [["netns", "del", namespace]] : []),
  ];
}

/** The namespaces of all machines except this node. */
function otherNamespaces(spec: ClusterSpec, node: NodeSpec, observed: ObservedNetwork): string[] {
  return [
    ...spec.nodes.filter((other) => other.index !== node.index).map((other) => nodeAddresses(spec, other).namespace),
    ...(spec.servers ?? []).map((server) => serverAddresses(spec, server).namespace),
  ].filter((namespace) => observed.namespaces.has(namespace));
}

/** Plans the commands that remove the whole network. */
export function planRemoval(spec: ClusterSpec, observed: ObservedNetwork): IpCommand[] {
  const { bridge } = clusterAddresses(spec);
  const commands: IpCommand[] = [];
  const machines = [
    ...spec.nodes.map((node) => nodeAddresses(spec, node)),
    ...(spec.servers ?? []).map((server) => serverAddresses(spec, server)),
  ];
  for (const { hostLink, namespace } of machines) {
    if (observed.links.has(hostLink)) commands.push(["link", "del", hostLink]);
    if (observed.namespaces.has(namespace)) commands.push(["netns", "del", namespace]);
  }
  if (observed.links.has(bridge)) commands.push(["link", "del", bridge]);
  return commands;
}

/** The first 10.x.0.0/16 of 64 to 127 that neither a route of the host nor another cluster uses. */
export function chooseSubnet(routes: readonly string[], taken: ReadonlySet<number>): number | undefined {
  for (let subnet = 64; subnet < 128; subnet++) {
    if (taken.has(subnet)) continue;
    if (!routes.some((route) => route.startsWith(`10.${subnet}.`) || route === "10.0.0.0/8")) return subnet;
  }
  return undefined;
}
