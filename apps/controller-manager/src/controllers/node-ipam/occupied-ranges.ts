import type { Ipv4Range, Node } from "@kintsugi/api";
import { CidrSet } from "./cidr-set.ts";
import { type NodeRanges, occupiedBy } from "./plan.ts";

/**
 * Tracks which ranges are in use, one change at a time: the cost of a change does not grow with the
 * number of nodes. In use are the ranges of nodes, ranges in flight to a node, the reserved ranges,
 * and the ranges of Services.
 */
export class OccupiedRanges {
  readonly set: CidrSet;
  /** The ranges that each node occupies, by its name; one entry per node that exists. */
  readonly #byNode = new Map<string, readonly Ipv4Range[]>();
  /**
   * Each range that was sent and is not in the node cache yet, by its node's name, because the
   * response may have been lost.
   */
  readonly #onTheWay = new Map<string, { uid: string; range: Ipv4Range }>();

  /** @throws RangeError when the ranges are larger than the whole, or too many. */
  constructor(options: NodeRanges) {
    this.set = new CidrSet(options.clusterCidr, options.nodeCidrMaskSize);
    for (const range of options.reserved ?? []) this.set.occupy(range);
    if (options.serviceCidr) this.set.occupy(options.serviceCidr);
  }

  /** @param node the present node, or undefined when it no longer exists. */
  observe(name: string, node: Node | undefined): void {
    const before = this.#byNode.get(name) ?? [];
    const now = node === undefined ? [] : occupiedBy(node);
    if (sameRanges(before, now)) return;
    for (const range of now) this.set.occupy(range);
    for (const range of before) this.set.release(range);
    if (now.length === 0) this.#byNode.delete(name);
    else this.#byNode.set(name, now);
  }

  onTheWayTo(name: string, uid: string): Ipv4Range | undefined {
    const sent = this.#onTheWay.get(name);
    return sent?.uid === uid ? sent.range : undefined;
  }

  /** Reserves a range for the node before it is sent. */
  send(name: string, uid: string, range: Ipv4Range): void {
    this.giveUp(name);
    this.#onTheWay.set(name, { uid, range });
    this.set.occupy(range);
  }

  /** Call when the cache shows that this node has its range, or no longer exists. */
  arrived(name: string, uid: string): void {
    if (this.#onTheWay.get(name)?.uid === uid) this.giveUp(name);
  }

  /** Call when the node for which the range was reserved no longer exists. */
  giveUp(name: string): void {
    const sent = this.#onTheWay.get(name);
    if (sent === undefined) return;
    this.#onTheWay.delete(name);
    this.set.release(sent.range);
  }
}

function sameRanges(a: readonly Ipv4Range[], b: readonly Ipv4Range[]): boolean {
  return a.length === b.length && a.every(({ first, size }, i) => first === b[i]?.first && size === b[i].size);
}
