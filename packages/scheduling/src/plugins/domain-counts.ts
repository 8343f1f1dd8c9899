import type { NodeInfo } from "../cluster-state/node-info.ts";

/**
 * Numbers per topology domain. All nodes that have the same value of a label are one domain of the
 * label.
 */
export class DomainCounts {
  readonly #byKey = new Map<string, Map<string, number>>();

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  /** Adds to the domain of the node; does nothing if the node does not have the label. */
  add(topologyKey: string, node: NodeInfo, amount: number): void {
    const value = node.labels[topologyKey];
    if (value === undefined) return;
    let counts = this.#byKey.get(topologyKey);
    if (counts === undefined) this.#byKey.set(topologyKey, (counts = new Map()));
    counts.set(value, (counts.get(value) ?? 0) + amount);
  }

  /** Starts a count of zero for each of these domains. */
  open(topologyKey: string, values: Iterable<string>): void {
    const counts = this.#byKey.get(topologyKey) ?? new Map<string, number>();
    for (const value of values) if (!counts.has(value)) counts.set(value, 0);
    this.#byKey.set(topologyKey, counts);
  }

  /** Adds `factor` for each pod of the nodes that exist; a domain without pods is not added. */
  addAll(topologyKey: string, podsByNode: Iterable<readonly [NodeInfo, number]>, factor: number): void {
    for (const [node, pods] of podsByNode) {
      if (pods > 0 && node.node !== undefined) this.add(topologyKey, node, factor * pods);
    }
  }

  of(topologyKey: string, node: NodeInfo): number {
    const value = node.labels[topologyKey];
    return value === undefined ? 0 : (this.#byKey.get(topologyKey)?.get(value) ?? 0);
  }

  /** The counted values of a label, with their numbers. */
  domains(topologyKey: string): ReadonlyMap<string, number> {
    return this.#byKey.get(topologyKey) ?? new Map<string, number>();
  }

  anyOf(node: NodeInfo): boolean {
    for (const topologyKey of this.#byKey.keys()) if (this.of(topologyKey, node) > 0) return true;
    return false;
  }

  sumOf(node: NodeInfo): number {
    let sum = 0;
    for (const topologyKey of this.#byKey.keys()) sum += this.of(topologyKey, node);
    return sum;
  }
}
