import { isIP } from "node:net";

export interface ControlPlanePlaces {
  readonly reservedAddresses: readonly string[];
  readonly bindAddresses: readonly string[];
  readonly bus: { readonly servers: readonly string[] } | undefined;
  readonly etcd: { readonly endpoints: readonly string[] } | undefined;
  /** Lists all addresses of this machine; called where the server listens on all of them. */
  readonly ofMachine: () => readonly { readonly address: string }[];
}

/**
 * Returns the addresses at which this server and the servers that it uses are reached, as far as
 * its configuration has them. Names are left out: they are not resolved for that.
 */
export function controlPlaneAddresses(places: ControlPlanePlaces): string[] {
  const { reservedAddresses, bindAddresses, bus, etcd, ofMachine } = places;
  const listensOnAll = bindAddresses.some((address) => address === "0.0.0.0" || address === "::");
  const members = (etcd?.endpoints ?? []).map((endpoint) => `https://${endpoint}`);
  const hosts = [...(bus?.servers ?? []), ...members].map(hostOf).filter((host) => isIP(host) !== 0);
  const own = listensOnAll ? ofMachine().map(({ address }) => address) : [];
  return [...new Set([...reservedAddresses, ...bindAddresses, ...own, ...hosts])];
}

/** "" for a text that is no URL; an address of IPv6 has brackets in a URL. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replaceAll(/^\[|\]$/g, "") : "";
}
