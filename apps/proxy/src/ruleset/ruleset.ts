/** The maps from a destination to a chain. */
export const verdictMaps = {
  "service-ips": {
    key: "ipv4_addr . inet_proto . inet_service",
    comment: "ClusterIP, ExternalIP and LoadBalancer IP traffic",
  },
  "service-nodeports": { key: "inet_proto . inet_service", comment: "NodePort traffic" },
  "no-endpoint-services": {
    key: "ipv4_addr . inet_proto . inet_service",
    comment: "vmap to drop or reject packets to services with no endpoints",
  },
  "no-endpoint-nodeports": {
    key: "inet_proto . inet_service",
    comment: "vmap to drop or reject packets to service nodeports with no endpoints",
  },
  "firewall-ips": {
    key: "ipv4_addr . inet_proto . inet_service",
    comment: "destinations that are subject to LoadBalancerSourceRanges",
  },
} as const;

export type VerdictMap = keyof typeof verdictMaps;

export const addressSets = {
  "cluster-ips": "Active ClusterIPs",
  "nodeport-ips": "IPs that accept NodePort traffic",
} as const;

export type AddressSet = keyof typeof addressSets;

/** The variable part of the table; the rest consists of the base rules. */
export interface Ruleset {
  /** The rules of each chain in order, by its name. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
  /** The verdict by map and key: "10.96.0.10 . udp . 53" → "goto service-…". */
  readonly maps: Readonly<Record<VerdictMap, ReadonlyMap<string, string>>>;
  readonly sets: Readonly<Record<AddressSet, ReadonlySet<string>>>;
  /**
   * Sets that the kernel fills with the clients that are bound to an endpoint: by name, their
   * timeouts in seconds.
   */
  readonly affinitySets: ReadonlyMap<string, number>;
}

/** A ruleset with only the base rules. */
export const emptyRuleset: Ruleset = {
  chains: new Map(),
  maps: {
    "service-ips": new Map(),
    "service-nodeports": new Map(),
    "no-endpoint-services": new Map(),
    "no-endpoint-nodeports": new Map(),
    "firewall-ips": new Map(),
  },
  sets: { "cluster-ips": new Set(), "nodeport-ips": new Set() },
  affinitySets: new Map(),
};
