import { BlockList, isIPv4 } from "node:net";
import type { ProxyNode } from "../plan/plan-rules.ts";

/**
 * Ranges that clients outside the network cannot have: RFC 1918, and the shared range of providers
 * (RFC 6598).
 */
const privateRanges = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"];

/**
 * Reports whether the client runs on the node: the node itself, or one of its pods. Where the pods'
 * range is unknown, any private address may belong to a pod.
 */
export function isOfNode({ addresses, podCidr }: Pick<ProxyNode, "addresses" | "podCidr">, address: string): boolean {
  if (!isIPv4(address)) return false;
  if (address.startsWith("127.") || addresses.includes(address)) return true;
  const list = new BlockList();
  for (const range of podCidr === undefined ? privateRanges : [podCidr]) {
    const [network = "", bits = ""] = range.split("/");
    list.addSubnet(network, Number(bits));
  }
  return list.check(address);
}
