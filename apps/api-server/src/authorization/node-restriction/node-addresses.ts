import { isIP } from "node:net";
import { type Node, sameJson } from "@kintsugi/api";
import type { AddressRefusal } from "../admission-attributes.ts";

/**
 * Returns an address that a node may not write into its Node, because the API server dials it and
 * certificates are signed for it. This is Kintsugi's own rule; upstream leaves addresses to the
 * kubelet or to a cloud controller. An unchanged address is not checked again, so that a node which
 * already has such an address can still report.
 */
export function findRefusedAddress(node: Node, before: Node | undefined, refused: AddressRefusal): string | undefined {
  const known = before?.status?.addresses ?? [];
  const added = (node.status?.addresses ?? []).filter((each) => !known.some((other) => sameJson(each, other)));
  return added.find(({ address }) => {
    const family = isIP(address);
    return family !== 0 && refused.check(address, family === 6 ? "ipv6" : "ipv4");
  })?.address;
}
