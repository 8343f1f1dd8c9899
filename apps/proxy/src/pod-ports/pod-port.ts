import { isIPv4 } from "node:net";
import { ipv4Number, ipv4RangeOf, isAddressIn } from "@kintsugi/api";

/** The node's end of a pod's cable, a port of the bridge, and what the pod may send through it. */
export interface PodPort {
  readonly link: string;
  readonly mac: string;
  readonly address: string;
}

/** The kernel's limit of a name, and characters that mean nothing in a script of nft. */
const linkForm = /^[A-Za-z0-9_.-]{1,15}$/;
const macForm = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;

/**
 * Reads the ports of a record that the library of network plugins keeps of one sandbox
 * (libcni, cniCacheV1): its interfaces in order, and for each address the interface inside of the
 * pod. Undefined for a record that is still being written, or of another shape.
 */
export function portsOf(record: string): readonly PodPort[] | undefined {
  const result = asObject(asObject(parsed(record))?.["result"]);
  const [interfaces, ips] = [result?.["interfaces"], result?.["ips"]];
  if (!Array.isArray(interfaces) || !Array.isArray(ips)) return undefined;
  const inside = interfaces.map(asObject);
  // The bridge plugin lists the bridge, the node's end of the cable, and the pod's end.
  const link = inside.findLast((each) => isOutside(each) && String(each?.["name"]).startsWith("veth"))?.["name"];
  if (typeof link !== "string" || !linkForm.test(link)) return [];
  return ips.map(asObject).flatMap((ip) => {
    const mac = inside[Number(ip?.["interface"])]?.["mac"];
    const [address = ""] = String(ip?.["address"]).split("/");
    if (typeof mac !== "string" || !macForm.test(mac) || !isIPv4(address)) return [];
    return { link, mac: mac.toLowerCase(), address };
  });
}

/** Returns the ports of one node's pods: several nodes of a host may share one directory. */
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
