import { bytesQuantity, milliQuantity, type Node, type NodeStatus, type Taint, hostnameLabel } from "@kintsugi/api";
import type { RuntimeHandler } from "@kintsugi/cri";
import { hardReservation, type Threshold } from "../eviction/thresholds.ts";
import type { ReservedResources } from "../../model/node-context.ts";
import type { MachineFacts } from "../../machine/kernel/machine.ts";

export interface NodeIdentity {
  nodeName: string;
  hostname: string;
  nodeIps: readonly string[];
  podCidr: string;
  labels: Readonly<Record<string, string>>;
  taints: readonly Taint[];
  port: number;
  /** True where a cloud controller manager initializes the Node and decides its addresses. */
  externalCloud: boolean;
  maxPods: number;
  /** All resources that the node reserves for itself. */
  reserved: ReservedResources;
}

/** Labels that every node has. */
export function nodeLabels(identity: NodeIdentity, facts: MachineFacts): Record<string, string> {
  return {
    "beta.kubernetes.io/arch": facts.architecture,
    "beta.kubernetes.io/os": facts.operatingSystem,
    "kubernetes.io/arch": facts.architecture,
    [hostnameLabel]: identity.hostname,
    "kubernetes.io/os": facts.operatingSystem,
    ...identity.labels,
  };
}

/**
 * Prevents pods without a toleration from running on the node before the cloud has initialized it.
 */
const uninitializedTaint: Taint = {
  key: "node.cloudprovider.kubernetes.io/uninitialized",
  value: "true",
  effect: "NoSchedule",
};

/** The address of the kubelet's flag, which the cloud has to confirm. */
const providedAddressAnnotation = "alpha.kubernetes.io/provided-node-ip";

/** The Node as it is created when it does not exist in the cluster. */
export function newNode(identity: NodeIdentity, facts: MachineFacts, status: NodeStatus): Node {
  const taints = [...identity.taints, ...(identity.externalCloud ? [uninitializedTaint] : [])];
  const annotations = nodeAnnotations(identity);
  return {
    metadata: {
      name: identity.nodeName,
      labels: nodeLabels(identity, facts),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: {
      ...(identity.podCidr === "" ? {} : { podCIDR: identity.podCidr, podCIDRs: [identity.podCidr] }),
      ...(taints.length === 0 ? {} : { taints }),
    },
    status,
  };
}

function nodeAnnotations({ externalCloud, nodeIps }: NodeIdentity): Record<string, string> {
  if (!externalCloud || nodeIps.length === 0) return {};
  return { [providedAddressAnnotation]: nodeIps.join(",") };
}

/**
 * `advertised` is the current capacity of the Node, which is retained for resources that the
 * kubelet does not measure (setters.go, MachineInfo).
 */
export function nodeCapacity(
  identity: NodeIdentity,
  facts: MachineFacts,
  advertised: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    ...advertised,
    cpu: milliQuantity(facts.cpuMillicores),
    "ephemeral-storage": bytesQuantity(facts.ephemeralStorageBytes),
    memory: bytesQuantity(facts.memoryBytes),
    pods: String(identity.maxPods),
  };
}

/** Returns the resources for pods: the capacity minus the node's own share. */
export function nodeAllocatable(
  identity: NodeIdentity,
  facts: MachineFacts,
  advertised: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    ...nodeCapacity(identity, facts, advertised),
    cpu: milliQuantity(Math.max(0, facts.cpuMillicores - identity.reserved.cpuMillicores)),
    "ephemeral-storage": bytesQuantity(
      Math.max(0, facts.ephemeralStorageBytes - identity.reserved.ephemeralStorageBytes),
    ),
    memory: bytesQuantity(Math.max(0, facts.memoryBytes - identity.reserved.memoryBytes)),
  };
}

/**
 * Adds the resources that the hard eviction thresholds keep free, which pods could never use
 * (container manager GetNodeAllocatableReservation).
 */
export function withEvictionReserve(
  reserved: ReservedResources,
  thresholds: readonly Threshold[],
  facts: MachineFacts,
): ReservedResources {
  const { memoryBytes, ephemeralStorageBytes } = facts;
  return {
    ...reserved,
    memoryBytes: reserved.memoryBytes + hardReservation(thresholds, "memory.available", memoryBytes),
    ephemeralStorageBytes:
      reserved.ephemeralStorageBytes + hardReservation(thresholds, "nodefs.available", ephemeralStorageBytes),
  };
}

/**
 * Returns the features of the runtime, for the scheduler and for users (nodestatus
 * RuntimeHandlers).
 */
export function nodeRuntimeHandlers(handlers: readonly RuntimeHandler[]): NonNullable<NodeStatus["runtimeHandlers"]> {
  return handlers.map(({ name, recursiveReadOnlyMounts, userNamespaces }) => ({
    name,
    features: { recursiveReadOnlyMounts, userNamespaces },
  }));
}

/**
 * Returns the addresses to report. Addresses that a cloud has reported are unchanged (upstream:
 * NodeAddress in nodestatus/setters.go).
 */
export function nodeAddresses(
  identity: NodeIdentity,
  before: NodeStatus["addresses"] = [],
): NonNullable<NodeStatus["addresses"]> {
  if (identity.externalCloud && before.length > 0) return before;
  const internal = identity.nodeIps.map((address) => ({ type: "InternalIP" as const, address }));
  return [...internal, { type: "Hostname", address: identity.hostname }];
}
