import { type Ipv4Range, ipv4Number, type Node, parseIpv4Range } from "@kintsugi/api";
import { CidrSet } from "./cidr-set.ts";

export interface NodeRanges {
  /** What the pods of all nodes get their addresses from. */
  clusterCidr: Ipv4Range;
  /** How many bits a node's range has: 24 for 256 addresses. */
  nodeCidrMaskSize: number;
  /**
   * Given to no node: ranges of nodes that are told their own, whether they have come yet or not.
   * Default none.
   */
  reserved?: readonly Ipv4Range[] | undefined;
  /** Where Services have theirs, if that may be in the same range. */
  serviceCidr?: Ipv4Range | undefined;
}

/**
 * Which ranges are taken: by nodes that have one, by what is on its way to a node, by what is
 * reserved, by Services, and by the machines themselves, which may have their own addresses in the
 * same network.
 */
export function occupiedRanges(options: NodeRanges, nodes: readonly Node[], onTheWay: Iterable<Ipv4Range>): CidrSet {
  const set = new CidrSet(options.clusterCidr, options.nodeCidrMaskSize);
  for (const range of options.reserved ?? []) set.occupy(range);
  if (options.serviceCidr) set.occupy(options.serviceCidr);
  for (const range of onTheWay) set.occupy(range);
  for (const node of nodes) {
    for (const range of rangesOf(node)) set.occupy(range);
    for (const { address } of node.status?.addresses ?? []) {
      const own = ipv4Number(address);
      if (own !== undefined) set.occupy({ first: own, size: 1 });
    }
  }
  return set;
}

/** The IPv4 ranges that a node's pods have already; those of IPv6 are none of ours. */
export function rangesOf({ spec }: Node): Ipv4Range[] {
  return podCidrsOf(spec).flatMap((text) => {
    try {
      return [parseIpv4Range(text)];
    } catch (error) {
      if (error instanceof RangeError) return [];
      throw error;
    }
  });
}

/**
 * The ranges of a node that do not lie in the cluster's: then the cluster's is not what all take
 * for the addresses of pods, and what is outside may be given twice.
 */
export function rangesOutside({ first, size }: Ipv4Range, node: Node): Ipv4Range[] {
  return rangesOf(node).filter((range) => range.first < first || range.first + range.size > first + size);
}

/** Whether a node waits for a range. */
export function lacksRange({ spec, metadata }: Node): boolean {
  return podCidrsOf(spec).length === 0 && metadata.deletionTimestamp === undefined;
}

function podCidrsOf(spec: Node["spec"]): readonly string[] {
  return spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
}
