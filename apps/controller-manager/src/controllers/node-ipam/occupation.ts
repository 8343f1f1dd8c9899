import type { Ipv4Range, Node } from "@kintsugi/api";
import { CidrSet } from "./cidr-set.ts";
import { type NodeRanges, occupiedBy } from "./plan.ts";

/**
 * Keeps which ranges are in use, one change at a time: what a change costs does not grow with the
 * number of nodes. In use are those of nodes, those on their way to a node, the reserved ones, and
 * those of Services.
 */
export class Occupation {
  readonly set: CidrSet;
  /** The ranges that each node occupies, by its name; one entry per node that exists. */
  readonly #byNode = new Map<string, readonly Ipv4Range[]>();
  /**
   * Each range that was sent and is not in the copy of the nodes yet, by its node's name: the
   * answer may have been lost.
   */
  readonly #onTheWay = new Map<string, { uid: string; range: Ipv4Range }>();

  /** @throws RangeError when the ranges are larger than the whole, or too many. */
  constructor(options: NodeRanges) {
    this.set = new CidrSet(options.clusterCidr, options.nodeCidrMaskSize);
    for (const range of options.reserved ?? []) this.set.occupy(range);
    if (options.serviceCidr) this.set.occupy(options.serviceCidr);
  }

  /** @param node as it is now, or undefined when it no longer exists. */
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

  /** Takes a range for the node before it is sent. */
  send(name: string, uid: string, range: Ipv4Range): void {
    this.giveUp(name);
    this.#onTheWay.set(name, { uid, range });
    this.set.occupy(range);
  }

  /** Call when the copy shows that this node has its range, or no longer exists. */
  arrived(name: string, uid: string): void {
    if (this.#onTheWay.get(name)?.uid === uid) this.giveUp(name);
  }

  /** Call when no node of this name is there to receive what was sent. */
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
