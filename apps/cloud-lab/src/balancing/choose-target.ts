import { createHash } from "node:crypto";
import { BlockList } from "node:net";

export interface BalancerTarget {
  readonly name: string;
  readonly address: string;
}

/**
 * Returns the targets in the order in which a new connection tries them. A sticky client has its
 * own fixed order (rendezvous hashing), so only the clients of a failed target move. Other
 * connections use the targets in rotation.
 */
export function orderTargets(
  healthy: readonly BalancerTarget[],
  { client, count, sticky }: { client: string; count: number; sticky: boolean },
): readonly BalancerTarget[] {
  if (sticky) {
    const weight = ({ address }: BalancerTarget) => createHash("sha256").update(`${client} ${address}`).digest("hex");
    return healthy.toSorted((a, b) => (weight(a) < weight(b) ? -1 : 1));
  }
  const start = healthy.length === 0 ? 0 : count % healthy.length;
  return [...healthy.slice(start), ...healthy.slice(0, start)];
}

/** Returns whether a client may connect; without ranges every client may. */
export function clientFilter(ranges: readonly string[]): (address: string) => boolean {
  if (ranges.length === 0) return () => true;
  const allowed = new BlockList();
  for (const range of ranges) {
    const [address = "", bits = "32"] = range.split("/");
    allowed.addSubnet(address, Number(bits), "ipv4");
  }
  return (address) => allowed.check(address.replace(/^::ffff:/, ""), "ipv4");
}
