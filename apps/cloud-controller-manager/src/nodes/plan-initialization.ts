import { type Node, type NodeStatus, sameJson, zoneLabel } from "@kintsugi/api";
import type { Instance } from "@kintsugi/cloud";

/** A kubelet with `--cloud-provider=external` registers its Node with this taint. */
const uninitializedTaintKey = "node.cloudprovider.kubernetes.io/uninitialized";
/** The address from the kubelet's flag, which the machine must have. */
const providedAddressAnnotation = "alpha.kubernetes.io/provided-node-ip";

export function isUninitialized({ spec }: Node): boolean {
  return (spec?.taints ?? []).some(({ key }) => key === uninitializedTaintKey);
}

/** Returns the cloud's labels of a machine (upstream: getNodeModifiersFromCloudProvider). */
function cloudLabels({ instanceType, zone, region }: Instance): Record<string, string> {
  return {
    "node.kubernetes.io/instance-type": instanceType,
    "beta.kubernetes.io/instance-type": instanceType,
    [zoneLabel]: zone,
    "failure-domain.beta.kubernetes.io/zone": zone,
    "topology.kubernetes.io/region": region,
    "failure-domain.beta.kubernetes.io/region": region,
  };
}

/** Returns the status with the machine's addresses; undefined where the status already has them. */
export function planCloudAddresses({ status }: Node, { addresses }: Instance): NodeStatus | undefined {
  if (addresses.length === 0 || sameJson(status?.addresses ?? [], addresses)) return undefined;
  return { ...status, addresses: addresses.map(({ type, address }) => ({ type, address })) };
}

/** Returns the Node with the machine's ID and labels, and without the taint. */
export function planInitialization(node: Node, instance: Instance): Node {
  const taints = (node.spec?.taints ?? []).filter(({ key }) => key !== uninitializedTaintKey);
  const { taints: _, ...spec } = node.spec ?? {};
  return {
    ...node,
    // Labels that a person set on the machine are unchanged, such as the zone of a rack.
    metadata: { ...node.metadata, labels: { ...cloudLabels(instance), ...node.metadata.labels } },
    spec: {
      ...spec,
      providerID: spec.providerID || instance.providerId,
      ...(taints.length === 0 ? {} : { taints }),
    },
  };
}

/**
 * Returns the fault that prevents the Node's initialization: a kubelet that claims an address which
 * its machine does not have in the cloud may be on another machine.
 */
export function findMismatch({ metadata, spec }: Node, instance: Instance): string | undefined {
  const provided = (metadata.annotations?.[providedAddressAnnotation] ?? "").split(",").filter((each) => each !== "");
  const own = new Set(instance.addresses.map(({ address }) => address));
  const foreign = provided.find((address) => !own.has(address));
  if (foreign !== undefined)
    return `failed to get node address from cloud provider that matches ip: ${foreign}; its machine has ${[...own].join(", ")}`;
  const known = spec?.providerID ?? "";
  if (known !== "" && known !== instance.providerId)
    return `the Node has the providerID ${known}, and the machine of its name is ${instance.providerId}`;
  return undefined;
}
