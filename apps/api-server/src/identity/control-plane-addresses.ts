import { isIP } from "node:net";

export interface ControlPlanePlaces {
  readonly reservedAddresses: readonly string[];
  readonly bindAddresses: readonly string[];
  readonly bus: { readonly servers: readonly string[] } | undefined;
  readonly etcd: { readonly endpoints: readonly string[] } | undefined;
  /** Lists all addresses of this machine. It is called where the server listens on all of them. */
  readonly ofMachine: () => readonly { readonly address: string }[];
}

/**
 * Returns the addresses of this server and of the servers that it uses, as far as its configuration
 * contains them. Names are omitted, because they are not resolved for this purpose.
 */
export function controlPlaneAddresses(places: ControlPlanePlaces): string[] {
  const { reservedAddresses, bindAddresses, bus, etcd, ofMachine } = places;
  const listensOnAll = bindAddresses.some((address) => address === "0.0.0.0" || address === "::");
  const members = (etcd?.endpoints ?? []).map((endpoint) => `https://${endpoint}`);
  const hosts = [...(bus?.servers ?? []), ...members].map(hostOf).filter((host) => isIP(host) !== 0);
  const own = listensOnAll ? ofMachine().map(({ address }) => address) : [];
  return [...new Set([...reservedAddresses, ...bindAddresses, ...own, ...hosts])];
}

/** "" for text that is not a URL; an IPv6 address has brackets in a URL. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replaceAll(/^\[|\]$/g, "") : "";
}
