import type { HostPort } from "@kintsugi/api";
import type { DevicesView } from "../devices/devices.ts";
import { countMatching, type PodMatcher } from "./counts/match-counts.ts";
import { NodeInfo } from "./node-info.ts";
import { type PlacedTerm, type TermKind, termsOf } from "./counts/placed-terms.ts";
import type { PodInfo } from "./pod-info.ts";
import type { Snapshot } from "./snapshot.ts";
import type { StorageView } from "./storage.ts";

/**
 * A snapshot in which one node is a copy that may be changed, to try out a change. The other nodes
 * are the nodes of the original snapshot.
 */
export class Supposition implements Snapshot {
  readonly node: NodeInfo;
  readonly #actual: Snapshot;
  #nodes: readonly NodeInfo[] | undefined;

  constructor(actual: Snapshot, node: NodeInfo) {
    this.#actual = actual;
    this.node = NodeInfo.copyOf(node);
  }

  get rowOfNode(): Int32Array {
    return this.#actual.rowOfNode;
  }

  /**
   * Most queries about one node do not read other nodes, so the list is made at the first request.
   */
  get nodes(): readonly NodeInfo[] {
    const { node } = this;
    return (this.#nodes ??= this.#actual.nodes.map((other) => (other.name === node.name ? node : other)));
  }

  get storage(): StorageView {
    return this.#actual.storage;
  }

  get devices(): DevicesView {
    return this.#actual.devices;
  }

  find(name: string): NodeInfo | undefined {
    return name === this.node.name ? this.node : this.#actual.find(name);
  }

  namespaceLabels(namespace: string): Readonly<Record<string, string>> | undefined {
    return this.#actual.namespaceLabels(namespace);
  }

  matching(matcher: PodMatcher): Iterable<readonly [NodeInfo, number]> {
    return this.#withCopy(this.#actual.matching(matcher), countMatching(this.node, matcher));
  }

  *placedTerms(kind: TermKind): Generator<PlacedTerm, void> {
    for (const { byNode, ...placed } of this.#actual.placedTerms(kind))
      yield { ...placed, byNode: new Map([...byNode].filter(([{ name }]) => name !== this.node.name)) };
    for (const pod of this.node.podsWithAffinity()) {
      for (const { term, weight } of termsOf(pod).filter((each) => each.kind === kind))
        yield { term, weight, byNode: new Map([[this.node, 1]]) };
    }
  }

  podsOfOwner(ownerUid: string): Iterable<readonly [NodeInfo, number]> {
    return this.#withCopy(this.#actual.podsOfOwner(ownerUid), this.node.podsOfOwner(ownerUid));
  }

  podsWithPort(port: HostPort): Iterable<readonly [NodeInfo, number]> {
    const matches = ({ hostPorts }: PodInfo) =>
      hostPorts.some((taken) => taken.protocol === port.protocol && taken.port === port.port);
    return this.#withCopy(this.#actual.podsWithPort(port), countMatching(this.node, { matches }));
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

  nominatedNodes(): Iterable<string> {
    return this.#actual.nominatedNodes();
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

  *#withCopy(
    actual: Iterable<readonly [NodeInfo, number]>,
    count: number,
  ): Generator<readonly [NodeInfo, number], void> {
    for (const entry of actual) if (entry[0].name !== this.node.name) yield entry;
    if (count > 0) yield [this.node, count];
  }
}
