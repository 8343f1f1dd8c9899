import { formatIpv4Range, ipv4Number, parseIpv4Range } from "@kintsugi/api";

/**
 * A network with more bits than this is too small, because half of the network has to contain the
 * ranges of two nodes, of 256 addresses each.
 */
const networkBitsMax = 22;

/**
 * Returns a range in which the pods of a cluster can have their addresses without routes: the half
 * of the machines' own network that does not contain the control plane, so that every machine finds
 * a pod's address by ARP. The range for 10.200.0.10 in 10.200.0.0/16 is 10.200.128.0/17. Undefined
 * when the address does not belong to this machine, or its network is too small.
 */
export function defaultClusterCidr(
  address: string,
  links: Iterable<{ readonly address: string; readonly cidr: string | null }>,
): string | undefined {
  const own = ipv4Number(address);
  const link = [...links].find((each) => each.address === address);
  const bits = Number(link?.cidr?.split("/")[1]);
  if (own === undefined || !link?.cidr || !(bits >= 8 && bits <= networkBitsMax)) return undefined;
  const { first, size } = parseIpv4Range(link.cidr);
  const half = size / 2;
  return formatIpv4Range({ first: own < first + half ? first + half : first, size: half });
}
