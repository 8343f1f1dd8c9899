import type { Node } from "@kintsugi/api";
import type { KubeletTarget } from "./kubelet-dialer.ts";

const kubeletPortDefault = 10250;

/** Where a node's kubelet is, as the node says; undefined when it does not. */
export function kubeletTargetOf(nodeName: string, { status }: Node): KubeletTarget | undefined {
  const address = status?.addresses?.find(({ type }) => type === "InternalIP")?.address;
  if (address === undefined) return undefined;
  return { nodeName, address, port: status?.daemonEndpoints?.kubeletEndpoint?.Port ?? kubeletPortDefault };
}
