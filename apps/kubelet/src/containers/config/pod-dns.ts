import type { Pod } from "@kintsugi/api";
import type { PodSandboxConfig } from "@kintsugi/cri";
import { mergedOptions } from "@kintsugi/daemon";
import type { BoundPod } from "../../model/bound-pod.ts";

// The name servers of a pod, as upstream's pkg/kubelet/network/dns decides them, for the example of
// a pod in the namespace `shop` on a node whose own resolv.conf has "nameserver 10.0.0.2", "search
// example.com":
//
//   Default                            10.0.0.2; example.com
//   ClusterFirst, cluster DNS          10.96.0.10; shop.svc.cluster.local svc.cluster.local
//                                      cluster.local example.com; ndots:5
//   ClusterFirst, no cluster DNS       like Default, with an event
//   ClusterFirst on the host network   like Default; ClusterFirstWithHostNet uses the cluster's
//   None                               nothing
//
// The pod's own dnsConfig is added to that. The part that a resolver would not accept is omitted,
// with an event.

export type DnsConfig = NonNullable<PodSandboxConfig["dns"]>;

export interface DnsSettings {
  clusterDnsServers: readonly string[];
  clusterDomain: string;
  /** The node's own resolv.conf. */
  host: DnsConfig;
}

export interface PodDns {
  config: DnsConfig;
  /** True where the pod's policy requires the cluster's DNS, which does not exist. */
  lacksClusterDns: boolean;
  /** The parts that were omitted because of limits, for an event. */
  warnings: string[];
}

/**
 * The limits of resolvers (validation.MaxDNSNameservers and so on; glibc aborts at a search path
 * that is not a name).
 */
const nameserversMax = 3;
const searchesMax = 32;
const searchCharactersMax = 2048;
const searchPathCharactersMax = 253;

export function podDns(pod: BoundPod, settings: DnsSettings): PodDns {
  const asksCluster = isOfCluster(pod.spec);
  const lacksClusterDns = asksCluster && settings.clusterDnsServers.length === 0;
  const base = baseOf(pod, settings, asksCluster && !lacksClusterDns);
  const { nameservers = [], searches = [], options = [] } = pod.spec.dnsConfig ?? {};
  const own = options.map(({ name = "", value }) => (value ? `${name}:${value}` : name));
  const servers = fittingServers(unique([...base.servers, ...nameservers]));
  const search = fittingSearches(unique([...base.searches, ...searches]));
  return {
    config: { servers: servers.kept, searches: search.kept, options: mergedOptions(base.options, own) },
    lacksClusterDns,
    warnings: [servers.warning, search.warning].filter((each) => each !== undefined),
  };
}

function isOfCluster({ dnsPolicy = "ClusterFirst", hostNetwork }: NonNullable<Pod["spec"]>): boolean {
  return dnsPolicy === "ClusterFirstWithHostNet" || (dnsPolicy === "ClusterFirst" && !hostNetwork);
}

function baseOf(
  pod: BoundPod,
  { clusterDnsServers, clusterDomain, host }: DnsSettings,
  viaCluster: boolean,
): DnsConfig {
  if (pod.spec.dnsPolicy === "None") return { servers: [], searches: [], options: [] };
  if (!viaCluster) return host;
  const { namespace } = pod.metadata;
  const ofCluster =
    clusterDomain === "" ? [] : [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain];
  return { servers: [...clusterDnsServers], searches: [...ofCluster, ...host.searches], options: ["ndots:5"] };
}

interface Fitting {
  kept: string[];
  warning: string | undefined;
}

function fittingServers(servers: string[]): Fitting {
  if (servers.length <= nameserversMax) return { kept: servers, warning: undefined };
  const kept = servers.slice(0, nameserversMax);
  const warning = `Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: ${kept.join(" ")}`;
  return { kept, warning };
}

function fittingSearches(searches: string[]): Fitting {
  const kept = searches.slice(0, searchesMax).filter((path) => path.length <= searchPathCharactersMax);
  while (kept.join(" ").length > searchCharactersMax) kept.pop();
  if (kept.length === searches.length) return { kept, warning: undefined };
  const warning = `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${kept.join(" ")}`;
  return { kept, warning };
}

function unique(values: string[]): string[] {
  return [...new Set(values)];
}
