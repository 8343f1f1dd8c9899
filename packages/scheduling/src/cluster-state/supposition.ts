import { NodeInfo } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import type { Snapshot } from "./snapshot.ts";

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

  find(name: string): NodeInfo | undefined {
    return name === this.node.name ? this.node : this.#actual.find(name);
  }

  namespaceLabels(namespace: string): Readonly<Record<string, string>> | undefined {
    return this.#actual.namespaceLabels(namespace);
  }

  nodesWithAffinity(): Iterable<NodeInfo> {
    return this.#withCopy(this.#actual.nodesWithAffinity(), this.node.podsWithAffinity().size > 0);
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
