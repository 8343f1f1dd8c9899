import type { Node } from "@kintsugi/api";
import type { KubeletTarget } from "./kubelet-dialer.ts";

const kubeletPortDefault = 10250;

/**
 * Returns the address of a node's kubelet from the Node's status; undefined if the status has no
 * address.
 */
export function kubeletTargetOf(nodeName: string, { status }: Node): KubeletTarget | undefined {
  const address = status?.addresses?.find(({ type }) => type === "InternalIP")?.address;
  if (address === undefined) return undefined;
  // A status that was not written by a kubelet has port 0.
  return { nodeName, address, port: status?.daemonEndpoints?.kubeletEndpoint?.Port || kubeletPortDefault };
}
