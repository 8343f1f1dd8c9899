import { clusterId, type ClusterSpec, type NodeSpec, type ServerSpec } from "../cluster/cluster-spec.ts";

// One cluster's network, for subnet 64 and two nodes:
//
//   host                 10.64.0.1    on the bridge kn-<id>
//   server-1 (namespace) 10.64.0.2    eth0, joined to the bridge by kn-<id>-s1; only with --servers
//   node-1 (namespace)   10.64.0.11   eth0, joined to the bridge by kn-<id>-1; pods 10.64.1.0/24
//   node-2 (namespace)   10.64.0.12   eth0, joined to the bridge by kn-<id>-2; pods 10.64.2.0/24
//
// Every node and the host route each pod range through its node's address. All pods, including pods
// of joined machines, have their addresses in 10.64.0.0/16, the cluster's range. node-ipam
// allocates ranges of it to joining machines, apart from the reserved ranges:
//
//   10.64.0.0/17      ranges of node-1 to node-127 by their number, whether or not they exist
//   10.64.128.0/24 …  node-128 to node-200 in a cluster of that size, then machines that join
//   10.64.240.0/20    addresses of Services
//
// A cluster with a cloud has 10.64.0.220 to 10.64.0.249, above the addresses of its nodes, for load
// balancers.

export interface ClusterAddresses {
  readonly bridge: string;
  readonly gateway: string;
  readonly nodeNetwork: string;
  /** All of the cluster's addresses. */
  readonly network: string;
  readonly serviceNetwork: string;
  /** The first and the last address of load balancers: "10.64.0.220-10.64.0.249". */
  readonly balancers: string;
  /**
   * Ranges that are never allocated to joining machines: the ranges of this host's nodes and of
   * their pods.
   */
  readonly reserved: readonly string[];
}

export function clusterAddresses(spec: ClusterSpec): ClusterAddresses {
  return {
    bridge: `kn-${clusterId(spec)}`,
    gateway: `10.${spec.subnet}.0.1`,
    nodeNetwork: `10.${spec.subnet}.0.0/24`,
    network: `10.${spec.subnet}.0.0/16`,
    serviceNetwork: `10.${spec.subnet}.240.0/20`,
    balancers: `10.${spec.subnet}.0.220-10.${spec.subnet}.0.249`,
    reserved: reservedRanges(spec),
  };
}

/**
 * Nodes of this host with a lower number than this have their pods in the half of the network that
 * joining machines never get.
 */
const reservedHalf = 128;

function reservedRanges({ subnet, nodes }: ClusterSpec): string[] {
  const reserved = [`10.${subnet}.0.0/17`];
  const highest = Math.max(0, ...nodes.map(({ index }) => index));
  // The ranges from the half up to the highest are as large as possible.
  for (let first = reservedHalf; first <= highest;) {
    let count = reservedHalf;
    while (first % count !== 0 || first + count > highest + 1) count /= 2;
    reserved.push(`10.${subnet}.${first}.0/${24 - Math.log2(count)}`);
    first += count;
  }
  return reserved;
}

/** A machine of the cluster on this host's bridge. */
export interface MachineAddresses {
  readonly namespace: string;
  readonly namespacePath: string;
  /** The bridge's end of the machine's cable. */
  readonly hostLink: string;
  readonly address: string;
}

export interface NodeAddresses extends MachineAddresses {
  readonly podCidr: string;
}

export function nodeAddresses(spec: ClusterSpec, node: NodeSpec): NodeAddresses {
  const namespace = `kintsugi-${spec.name}-${node.name}`;
  return {
    namespace,
    namespacePath: `/var/run/netns/${namespace}`,
    hostLink: `kn-${clusterId(spec)}-${node.index}`,
    address: `10.${spec.subnet}.0.${10 + node.index}`,
    podCidr: `10.${spec.subnet}.${node.index}.0/24`,
  };
}

export function serverAddresses(spec: ClusterSpec, server: ServerSpec): MachineAddresses {
  const namespace = `kintsugi-${spec.name}-${server.name}`;
  return {
    namespace,
    namespacePath: `/var/run/netns/${namespace}`,
    hostLink: `kn-${clusterId(spec)}-s${server.index}`,
    address: `10.${spec.subnet}.0.${1 + server.index}`,
  };
}

/** Returns the name of the host's nftables table in which a cluster's cloud works. */
export function cloudTable(clusterName: string): string {
  return `kintsugi-cloud-${clusterName}`;
}
