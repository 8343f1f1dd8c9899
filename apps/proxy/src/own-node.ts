import { type Node, sameJson, zoneLabel } from "@kintsugi/api";
import type { ProxyNode } from "./plan/plan-rules.ts";

/** A taint of the cluster autoscaler: the node is about to be removed (upstream's nodeEligible). */
const toBeDeletedTaint = "ToBeDeletedByClusterAutoscaler";

/**
 * Returns the facts about the node on which rules depend; nearly empty for a node that is not
 * registered yet.
 */
export function proxyNode(nodeName: string, node: Node | undefined): ProxyNode {
  const addresses = (node?.status?.addresses ?? []).filter(({ type }) => type === "InternalIP");
  return {
    nodeName,
    zone: node?.metadata.labels?.[zoneLabel] ?? "",
    podCidr: [node?.spec?.podCIDR ?? "", ...(node?.spec?.podCIDRs ?? [])].find(isIpv4Range),
    addresses: addresses.map(({ address }) => address).filter((address) => !address.includes(":")),
  };
}

function isIpv4Range(range: string): boolean {
  return /^\d+(\.\d+){3}\/\d+$/.test(range);
}

/**
 * Reports whether the change does not affect the rules, because a kubelet writes its status every
 * few seconds.
 */
export function sameNode(before: Node, after: Node): boolean {
  return sameJson(proxyNode("", before), proxyNode("", after));
}

/** Reports whether load balancers may use the node. */
export function isEligible(node: Node | undefined): boolean {
  if (node?.metadata.deletionTimestamp !== undefined) return false;
  return !(node?.spec?.taints ?? []).some(({ key }) => key === toBeDeletedTaint);
}
