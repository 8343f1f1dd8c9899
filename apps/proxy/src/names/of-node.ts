import { BlockList, isIPv4 } from "node:net";
import type { ProxyNode } from "../plan/plan-rules.ts";

/**
 * Ranges that no client in the world outside has: RFC 1918, and those that providers use within
 * (RFC 6598).
 */
const privateRanges = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"];

/**
 * Reports whether the client runs on the node: the node itself, or one of its pods. Where the pods'
 * range is not known, any private address may be one.
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
