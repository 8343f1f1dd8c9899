import { type Ipv4Range, ipv4Number, type Node, parseIpv4Range } from "@kintsugi/api";

export interface NodeRanges {
  /** The pods of all nodes get their addresses from this range. */
  clusterCidr: Ipv4Range;
  /** The prefix length of a node's range: 24 for 256 addresses. */
  nodeCidrMaskSize: number;
  /**
   * Ranges that are never allocated because nodes are configured with them, whether or not these
   * nodes have joined. Default: empty.
   */
  reserved?: readonly Ipv4Range[] | undefined;
  /** The range of Services, if it may lie within the pods' range. */
  serviceCidr?: Ipv4Range | undefined;
}

/**
 * Returns the ranges that other nodes may not get because of this node: the ranges of its pods, and
 * the addresses of the machine itself, which may lie in the same network.
 */
export function occupiedBy(node: Node): Ipv4Range[] {
  const own = (node.status?.addresses ?? []).flatMap(({ address }) => {
    const first = ipv4Number(address);
    return first === undefined ? [] : [{ first, size: 1 }];
  });
  return [...rangesOf(node), ...own];
}

/** The IPv4 ranges that a node's pods have already; IPv6 ranges are not allocated here. */
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
 * Lists the ranges of a node that lie outside the cluster's range. The cluster's range then does
 * not cover all pod addresses, and the ranges outside may be allocated twice.
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
