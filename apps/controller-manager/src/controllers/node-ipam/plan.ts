import { type Ipv4Range, ipv4Number, type Node, parseIpv4Range } from "@kintsugi/api";
import { CidrSet } from "./cidr-set.ts";

export interface NodeRanges {
  /** The pods of all nodes get their addresses from this range. */
  clusterCidr: Ipv4Range;
  /** The prefix length of a node's range: 24 for 256 addresses. */
  nodeCidrMaskSize: number;
  /**
   * Ranges that are never given out, because nodes are configured with them, whether these have
   * come yet or not. Default none.
   */
  reserved?: readonly Ipv4Range[] | undefined;
  /** The range of Services, if it may lie in the same one. */
  serviceCidr?: Ipv4Range | undefined;
}

/**
 * Marks the ranges in use: those of nodes, those on their way to a node, the reserved ones, those
 * of Services, and those of the machines themselves, which may have their own addresses in the same
 * network.
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
 * Lists the ranges of a node that lie outside the cluster's: the cluster's range then does not
 * cover all addresses of pods, and the others may be given twice.
 */
export function rangesOutside({ first, size }: Ipv4Range, node: Node): Ipv4Range[] {
  return rangesOf(node).filter((range) => range.first < first || range.first + range.size > first + size);
}

/** Reports whether a node waits for a range. */
export function lacksRange({ spec, metadata }: Node): boolean {
  return podCidrsOf(spec).length === 0 && metadata.deletionTimestamp === undefined;
}

function podCidrsOf(spec: Node["spec"]): readonly string[] {
  return spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
}
