import { cidrFamily, parseIPv4 } from "./ip-address.ts";

/** An IPv4 network: 10.96.0.0/16 is the 65,536 addresses from 10.96.0.0 on. */
export interface Ipv4Range {
  /** The network's first address as a number. */
  readonly first: number;
  /** The number of its addresses. */
  readonly size: number;
}

/** "10.96.0.0/16", of 8 to 30 bits. @throws RangeError */
export function parseIpv4Range(text: string): Ipv4Range {
  const [address = "", bits = "", ...rest] = text.split("/");
  const first = ipv4Number(address);
  if (first === undefined || rest.length > 0 || !/^\d{1,2}$/.test(bits) || Number(bits) < 8 || Number(bits) > 30)
    throw new RangeError(`${JSON.stringify(text)} is not an IPv4 range such as 10.96.0.0/16`);
  const size = 2 ** (32 - Number(bits));
  return { first: first - (first % size), size };
}

/** The IPv4 range of a CIDR of any length; undefined for another text, such as an IPv6 CIDR. */
export function ipv4RangeOf(text: string): Ipv4Range | undefined {
  if (cidrFamily(text) !== "IPv4") return undefined;
  const [address = "", bits = ""] = text.split("/");
  const size = 2 ** (32 - Number(bits));
  const first = ipv4Number(address) ?? 0;
  return { first: first - (first % size), size };
}

/** Reports whether the address is in the range. */
export function isAddressIn({ first, size }: Ipv4Range, address: number): boolean {
  return address >= first && address < first + size;
}

/** Reports whether all addresses of `inner` are in `outer` too. */
export function containsRange(outer: Ipv4Range, inner: Ipv4Range): boolean {
  return inner.first >= outer.first && inner.first + inner.size <= outer.first + outer.size;
}

export function formatIpv4Range({ first, size }: Ipv4Range): string {
  return `${formatIpv4(first)}/${32 - Math.log2(size)}`;
}

export function formatIpv4(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
}

/** Undefined if the text is not an IPv4 address. */
export function ipv4Number(text: string): number | undefined {
  return parseIPv4(text)?.reduce((number, part) => number * 256 + part, 0);
}
