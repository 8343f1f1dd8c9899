import { clusterId, type ClusterSpec, type NodeSpec } from "../cluster/cluster-spec.ts";

// One cluster's network, for subnet 64 and two nodes:
//
//   host                    10.64.0.1    on the bridge kn-<id>
//   node-1 (namespace)      10.64.0.11   eth0, joined to the bridge by kn-<id>-1;  its pods 10.64.1.0/24
//   node-2 (namespace)      10.64.0.12   eth0, joined to the bridge by kn-<id>-2;  its pods 10.64.2.0/24
//
// Every node and the host route each pod range through its node's address.

export interface ClusterAddresses {
  readonly bridge: string;
  readonly gateway: string;
  readonly nodeNetwork: string;
  /** All of the cluster's addresses. */
  readonly network: string;
  readonly serviceNetwork: string;
  /** From what machines that join get the ranges of their pods; nodes of this host have theirs by their number. */
  readonly joinedPods: string;
}

export function clusterAddresses(spec: ClusterSpec): ClusterAddresses {
  return {
    bridge: `kn-${clusterId(spec)}`,
    gateway: `10.${spec.subnet}.0.1`,
    nodeNetwork: `10.${spec.subnet}.0.0/24`,
    network: `10.${spec.subnet}.0.0/16`,
    serviceNetwork: `10.${spec.subnet}.240.0/20`,
    joinedPods: `10.${spec.subnet}.128.0/18`,
  };
}

export interface NodeAddresses {
  readonly namespace: string;
  readonly namespacePath: string;
  /** The bridge's end of the node's cable. */
  readonly hostLink: string;
  readonly address: string;
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
