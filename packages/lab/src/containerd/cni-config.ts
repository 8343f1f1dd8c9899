export interface CniOptions {
  podCidr: string;
  /** The record of the addresses in use. */
  ipamDirectory: string;
}

/**
 * The pod network of one node: a bridge inside its namespace, addresses from its range, host ports.
 */
export function cniConfig(options: CniOptions): string {
  const bridge = {
    type: "bridge",
    bridge: "cni0",
    isGateway: true,
    // Pods reach each other and the API by routes; nothing leaves the host.
    ipMasq: false,
    hairpinMode: true,
    ipam: {
      type: "host-local",
      dataDir: options.ipamDirectory,
      ranges: [[{ subnet: options.podCidr }]],
      routes: [{ dst: "0.0.0.0/0" }],
    },
  };
  const portmap = { type: "portmap", capabilities: { portMappings: true } };
  return JSON.stringify({ cniVersion: "0.4.0", name: "kintsugi", plugins: [bridge, portmap] }, null, 2);
}
