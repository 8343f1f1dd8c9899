export interface CniOptions {
  podCidr: string;
  /** The record of the addresses in use. */
  ipamDirectory: string;
  /** True if the kernel has IPv6: the plugin fails if the setting does not exist. */
  hasIpv6: boolean;
}

/**
 * The pod network of one node: a bridge inside its namespace, addresses from its range, host ports.
 */
export function cniConfig(options: CniOptions): string {
  const bridge = {
    type: "bridge",
    bridge: "cni0",
    isGateway: true,
    // Pods reach each other and the API by routes; packets do not leave the host.
    ipMasq: false,
    hairpinMode: true,
    ipam: {
      type: "host-local",
      dataDir: options.ipamDirectory,
      ranges: [[{ subnet: options.podCidr }]],
      routes: [{ dst: "0.0.0.0/0" }],
    },
  };
  // Link-local addresses would let pods of one node reach each other past NetworkPolicies, which
  // support only IPv4, like all addresses of the cluster. The loopback keeps its ::1.
  const tuning = { type: "tuning", sysctl: { "net.ipv6.conf.eth0.disable_ipv6": "1" } };
  const portmap = { type: "portmap", capabilities: { portMappings: true } };
  return JSON.stringify(
    { cniVersion: "0.4.0", name: "kintsugi", plugins: [bridge, ...(options.hasIpv6 ? [tuning] : []), portmap] },
    null,
    2,
  );
}
