import { isIPv4 } from "node:net";
import { ipv4Number, ipv4RangeOf, isAddressIn } from "@kintsugi/api";

/**
 * The node's end of a pod's veth pair, which is a port of the bridge, and the addresses from which
 * the pod may send.
 */
export interface PodPort {
  readonly link: string;
  readonly mac: string;
  readonly address: string;
}

/** The kernel's limit of a name, and characters without a special meaning in an nft script. */
const linkForm = /^[A-Za-z0-9_.-]{1,15}$/;
const macForm = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;

/**
 * Parses the ports from a record that libcni stores for one sandbox (cniCacheV1): its interfaces in
 * order, and for each address the interface inside the pod. Undefined for a record that is still
 * being written, or has another format.
 */
export function portsOf(record: string): readonly PodPort[] | undefined {
  const result = asObject(asObject(parsed(record))?.["result"]);
  const [interfaces, ips] = [result?.["interfaces"], result?.["ips"]];
  if (!Array.isArray(interfaces) || !Array.isArray(ips)) return undefined;
  const inside = interfaces.map(asObject);
  // The bridge plugin lists the bridge, the node's end of the veth pair, and the pod's end.
  const link = inside.findLast((each) => isOutside(each) && String(each?.["name"]).startsWith("veth"))?.["name"];
  if (typeof link !== "string" || !linkForm.test(link)) return [];
  return ips.map(asObject).flatMap((ip) => {
    const mac = inside[Number(ip?.["interface"])]?.["mac"];
    const [address = ""] = String(ip?.["address"]).split("/");
    if (typeof mac !== "string" || !macForm.test(mac) || !isIPv4(address)) return [];
    return { link, mac: mac.toLowerCase(), address };
  });
}

/**
 * Returns the ports of one node's pods, because several nodes of a host may share one directory.
 */
export function portsIn(ports: readonly PodPort[], podCidr: string): readonly PodPort[] {
  const range = ipv4RangeOf(podCidr);
  if (range === undefined) return [];
  return ports
    .filter(({ address }) => isAddressIn(range, ipv4Number(address) ?? -1))
    .toSorted((a, b) => (a.link < b.link ? -1 : 1));
}

function isOutside(each: Record<string, unknown> | undefined): boolean {
  return each !== undefined && (each["sandbox"] ?? "") === "";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}
