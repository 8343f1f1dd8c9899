import type { EndpointSlice, Service } from "@kintsugi/api";
import type { UdpDestinations } from "../conntrack/stale-flows.ts";
import { markForMasquerade, rejectChain } from "../ruleset/base-rules.ts";
import type { Ruleset } from "../ruleset/ruleset.ts";
import { type Endpoint, endpointsKey, endpointsOf } from "./endpoints.ts";
import { type KnownAddresses, guardPorts, type RefusedAddress } from "./guard-ports.ts";
import { endpointChainBase } from "./names.ts";
import { RulesetBuilder } from "./ruleset-builder.ts";
import { isReachedFromOutside, type ServicePort } from "./service-ports.ts";
import { type ProxyPlace, type UsableEndpoints, usableEndpoints } from "./usable-endpoints.ts";

/** The node for which the rules are made. */
export interface ProxyNode extends ProxyPlace {
  /**
   * The addresses of its pods, whose packets are internal. Undefined while the addresses are
   * unknown.
   */
  readonly podCidr: string | undefined;
  /** The node's own addresses, at which node ports answer. */
  readonly addresses: readonly string[];
}

export interface Observed {
  readonly services: readonly Service[];
  readonly slices: readonly EndpointSlice[];
  readonly node: ProxyNode;
  readonly cluster: KnownAddresses;
}

export interface PlanOptions {
  /**
   * Packets of pods to cluster IPs are also masqueraded with the node's address (--masquerade-all).
   */
  readonly masqueradeAll: boolean;
  /**
   * True where two pods of this node communicate over its bridge and bypass the rules
   * (net.bridge.bridge-nf-call-iptables is 0, or missing). An answer would then not be translated
   * back, unless it is routed through the node.
   */
  readonly bridgeBypassesRules: boolean;
}

export interface Plan {
  readonly ruleset: Ruleset;
  /** Ports with the policy Local whose endpoints are all on other nodes. */
  readonly withoutLocalEndpoints: { readonly internal: number; readonly external: number };
  readonly endpointCount: number;
  /** The valid destinations of UDP. Other destinations in the kernel's table have to be removed. */
  readonly udp: UdpDestinations;
  /** External addresses that belong to the cluster itself, for which no rule is written. */
  readonly refused: readonly RefusedAddress[];
}

/**
 * Plans every rule that depends on the cluster's objects. If two Services claim one address or node
 * port, the first by name gets it.
 */
export function planRules({ services, slices, node, cluster }: Observed, options: PlanOptions): Plan {
  const builder = new RulesetBuilder();
  const endpoints = endpointsOf(slices, node.nodeName);
  const without = { internal: 0, external: 0 };
  const udp = new Map<string, ReadonlySet<string>>();
  let endpointCount = 0;
  for (const address of node.addresses) builder.addAddress("nodeport-ips", address);
  const { ports, refused } = guardPorts({ services, slices }, cluster);
  for (const port of ports.toSorted(byName)) {
    const behind = endpoints.get(keyOf(port)) ?? [];
    const usable = usableEndpoints(behind, port, node);
    endpointCount += usable.reachable.length;
    if (usable.anywhere && usable.local.length === 0) {
      if (port.internalPolicyLocal) without.internal++;
      if (port.externalPolicyLocal && isReachedFromOutside(port)) without.external++;
    }
    const names = new Map(usable.reachable.map((endpoint) => [endpoint, endpointNames(port, endpoint)]));
    addServicePort(builder, { port, usable, names, node, options });
    if (port.protocol === "udp")
      for (const destination of destinationsOf(port, node))
        udp.set(destination, new Set(usable.reachable.map((endpoint) => `${endpoint.address}:${endpoint.port}`)));
  }
  return { ruleset: builder.build(), withoutLocalEndpoints: without, endpointCount, udp, refused };
}

/** "address:port" of each destination that leads to the port. */
function destinationsOf({ clusterIp, externalIps, port, nodePort }: ServicePort, node: ProxyNode): string[] {
  const own = nodePort === 0 ? [] : node.addresses.map((address) => `${address}:${nodePort}`);
  return [...[clusterIp, ...externalIps].map((address) => `${address}:${port}`), ...own];
}

interface EndpointNames {
  readonly chain: string;
  readonly affinitySet: string;
}

interface PortPlan {
  readonly port: ServicePort;
  /** The names of each reachable endpoint, computed once because they contain a hash. */
  readonly names: ReadonlyMap<Endpoint, EndpointNames>;
  readonly usable: UsableEndpoints;
  readonly node: ProxyNode;
  readonly options: PlanOptions;
}

function addServicePort(builder: RulesetBuilder, plan: PortPlan): void {
  const { port, usable } = plan;
  const chains = {
    cluster: `service-${port.chainBase}`,
    local: `local-${port.chainBase}`,
    external: `external-${port.chainBase}`,
  };
  builder.addAddress("cluster-ips", port.clusterIp);
  addClusterIp(builder, plan, port.internalPolicyLocal ? chains.local : chains.cluster);
  if (isReachedFromOutside(port)) addOutside(builder, plan, chains);
  if (usable.cluster.length > 0) addChoice(builder, plan, { chain: chains.cluster, endpoints: usable.cluster });
  if (usable.local.length > 0) addChoice(builder, plan, { chain: chains.local, endpoints: usable.local });
  for (const named of plan.names) addEndpoint(builder, plan, named);
}

/** Traffic to the cluster IP is sent to the endpoints that the internal policy allows. */
function addClusterIp(builder: RulesetBuilder, { port, usable, node, options }: PortPlan, chain: string): void {
  const { clusterIp, protocol } = port;
  const destination = `${clusterIp} . ${protocol} . ${port.port}`;
  const allowed = port.internalPolicyLocal ? usable.local : usable.cluster;
  if (allowed.length === 0) {
    builder.addVerdict("no-endpoint-services", destination, refusal(usable));
    return;
  }
  builder.addVerdict("service-ips", destination, `goto ${chain}`);
  const toClusterIp = `ip daddr ${clusterIp} ${protocol} dport ${port.port}`;
  if (options.masqueradeAll) builder.addRule(chain, `${toClusterIp} jump ${markForMasquerade}`);
  // A router may send the Services' range to any node, and the answers to such packets have to take
  // the same path back.
  else if (node.podCidr !== undefined)
    builder.addRule(chain, `${toClusterIp} ip saddr != ${node.podCidr} jump ${markForMasquerade}`);
}

/**
 * Traffic to external IPs, load balancers and node ports is sent to the endpoints that the external
 * policy allows.
 */
function addOutside(
  builder: RulesetBuilder,
  { port, usable, node }: PortPlan,
  chains: { cluster: string; local: string; external: string },
): void {
  const allowed = port.externalPolicyLocal ? usable.local : usable.cluster;
  const { external } = chains;
  for (const address of port.externalIps) {
    const destination = `${address} . ${port.protocol} . ${port.port}`;
    if (usable.anywhere) builder.addVerdict("service-ips", destination, `goto ${external}`);
    if (allowed.length === 0) builder.addVerdict("no-endpoint-services", destination, refusal(usable));
  }
  if (port.nodePort !== 0) {
    const destination = `${port.protocol} . ${port.nodePort}`;
    if (usable.anywhere) builder.addVerdict("service-nodeports", destination, `goto ${external}`);
    if (allowed.length === 0) builder.addVerdict("no-endpoint-nodeports", destination, refusal(usable));
  }
  addFirewall(builder, port);
  if (!usable.anywhere) return;
  if (!port.externalPolicyLocal) builder.addRule(external, `jump ${markForMasquerade}`);
  else if (usable.cluster.length > 0) {
    // Packets of the node and of its pods are treated as if they returned from a load balancer
    // through any node, so the policy Cluster applies to them.
    if (node.podCidr !== undefined) builder.addRule(external, `ip saddr ${node.podCidr} goto ${chains.cluster}`);
    builder.addRule(external, `fib saddr type local jump ${markForMasquerade}`);
    builder.addRule(external, `fib saddr type local goto ${chains.cluster}`);
  }
  if (allowed.length > 0) builder.addRule(external, `goto ${port.externalPolicyLocal ? chains.local : chains.cluster}`);
  builder.ensureChain(external);
}

function addFirewall(builder: RulesetBuilder, port: ServicePort): void {
  if (port.guardedIps.length === 0) return;
  const chain = `firewall-${port.chainBase}`;
  // Each range has a separate rule, because a set rejects ranges that overlap.
  for (const range of port.sourceRanges) builder.addRule(chain, `ip saddr ${range} return`);
  builder.addRule(chain, "drop");
  for (const address of port.guardedIps)
    builder.addVerdict("firewall-ips", `${address} . ${port.protocol} . ${port.port}`, `goto ${chain}`);
}

/**
 * The client gets a rejection when no node has an endpoint. Where only this node lacks an endpoint,
 * another node may answer.
 */
function refusal({ anywhere }: UsableEndpoints): string {
  return anywhere ? "drop" : `goto ${rejectChain}`;
}

/** Chooses an endpoint: the endpoint to which the client is bound, or else any endpoint. */
function addChoice(
  builder: RulesetBuilder,
  { port, names }: PortPlan,
  { chain, endpoints }: { chain: string; endpoints: readonly Endpoint[] },
): void {
  const ways = endpoints.flatMap((endpoint) => names.get(endpoint) ?? []);
  if (port.affinitySeconds !== undefined)
    for (const { affinitySet, chain: to } of ways) builder.addRule(chain, `ip saddr @${affinitySet} goto ${to}`);
  const numbered = ways.map(({ chain: to }, i) => `${i} : goto ${to}`);
  builder.addRule(chain, `numgen random mod ${ways.length} vmap { ${numbered.join(", ")} }`);
}

function addEndpoint(
  builder: RulesetBuilder,
  { port, node, options }: PortPlan,
  [endpoint, { chain, affinitySet }]: readonly [Endpoint, EndpointNames],
): void {
  // A pod that reaches itself through its Service would drop an answer that comes from its own
  // address.
  builder.addRule(chain, `ip saddr ${endpoint.address} jump ${markForMasquerade}`);
  if (options.bridgeBypassesRules && endpoint.isLocal && node.podCidr !== undefined)
    builder.addRule(chain, `ip saddr ${node.podCidr} jump ${markForMasquerade}`);
  if (port.affinitySeconds !== undefined) {
    builder.addAffinitySet(affinitySet, port.affinitySeconds);
    builder.addRule(chain, `update @${affinitySet} { ip saddr }`);
  }
  builder.addRule(chain, `meta l4proto ${port.protocol} dnat to ${endpoint.address}:${endpoint.port}`);
}

/**
 * A set's timeout is fixed when it is made, so it is part of the name, and a changed timeout makes
 * a new set.
 */
function endpointNames(port: ServicePort, { address, port: number }: Endpoint): EndpointNames {
  const { namespace, serviceName, protocol, portName, affinitySeconds = 0 } = port;
  const base = endpointChainBase(`${namespace}/${serviceName}/${protocol}/${portName}`, address, number);
  return { chain: `endpoint-${base}`, affinitySet: `affinity-${affinitySeconds}-${base}` };
}

function keyOf({ namespace, serviceName, portName, protocol }: ServicePort): string {
  return endpointsKey({ namespace, service: serviceName, port: portName, protocol });
}

function byName(a: ServicePort, b: ServicePort): number {
  const [nameA, nameB] = [`${a.namespace}/${a.serviceName}`, `${b.namespace}/${b.serviceName}`];
  return nameA === nameB ? 0 : nameA < nameB ? -1 : 1;
}
