import { countMatching, type PodMatcher } from "./match-counts.ts";
import { NodeInfo } from "./node-info.ts";
import { type PlacedTerm, type TermKind, termsOf } from "./placed-terms.ts";
import type { PodInfo } from "./pod-info.ts";
import type { Snapshot } from "./snapshot.ts";
import type { StorageView } from "./storage.ts";

/**
 * A snapshot in which one node is a copy that may be changed, to try out a change. The rest is the
 * original's.
 */
export class Supposition implements Snapshot {
  readonly node: NodeInfo;
  readonly nodes: readonly NodeInfo[];
  readonly #actual: Snapshot;

  constructor(actual: Snapshot, node: NodeInfo) {
    this.#actual = actual;
    const copy = new NodeInfo(node.name);
    copy.node = node.node;
    for (const pod of node.pods()) copy.put(pod);
    this.node = copy;
    this.nodes = actual.nodes.map((other) => (other.name === copy.name ? copy : other));
  }

  get storage(): StorageView {
    return this.#actual.storage;
  }

  find(name: string): NodeInfo | undefined {
    return name === this.node.name ? this.node : this.#actual.find(name);
  }

  namespaceLabels(namespace: string): Readonly<Record<string, string>> | undefined {
    return this.#actual.namespaceLabels(namespace);
  }

  *matching(matcher: PodMatcher): Generator<readonly [NodeInfo, number], void> {
    for (const entry of this.#actual.matching(matcher)) if (entry[0].name !== this.node.name) yield entry;
    const count = countMatching(this.node, matcher);
    if (count > 0) yield [this.node, count];
  }

  *placedTerms(kind: TermKind): Generator<PlacedTerm, void> {
    for (const { byNode, ...placed } of this.#actual.placedTerms(kind))
      yield { ...placed, byNode: new Map([...byNode].filter(([{ name }]) => name !== this.node.name)) };
    for (const pod of this.node.podsWithAffinity()) {
      for (const { term, weight } of termsOf(pod).filter((each) => each.kind === kind))
        yield { term, weight, byNode: new Map([[this.node, 1]]) };
    }
  }

  nodesOfOwner(ownerUid: string): Iterable<NodeInfo> {
    return this.#withCopy(this.#actual.nodesOfOwner(ownerUid), this.node.podsOfOwner(ownerUid) > 0);
  }

  nodesWithImage(image: string): number {
    return this.#actual.nodesWithImage(image);
  }

  domainsOf(topologyKey: string): ReadonlyMap<string, number> {
    return this.#actual.domainsOf(topologyKey);
  }

  get hasNominations(): boolean {
    return this.#actual.hasNominations;
  }

  nominatedOn(nodeName: string): Iterable<PodInfo> {
    return this.#actual.nominatedOn(nodeName);
  }

  nominatedNode(uid: string): string | undefined {
    return this.#actual.nominatedNode(uid);
  }

  isBeingPreempted(uid: string): boolean {
    return this.#actual.isBeingPreempted(uid);
  }

  #withCopy(actual: Iterable<NodeInfo>, hasCopy: boolean): NodeInfo[] {
    const others = [...actual].filter(({ name }) => name !== this.node.name);
    return hasCopy ? [...others, this.node] : others;
  }
}
