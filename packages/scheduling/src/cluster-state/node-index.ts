import { addCount } from "./add-count.ts";
import { MatchCounts, type PodMatcher } from "./match-counts.ts";
import type { NodeInfo } from "./node-info.ts";
import { type PlacedTerm, PlacedTerms, type TermKind } from "./placed-terms.ts";
import type { PodInfo } from "./pod-info.ts";

/** Pods name their topology keys freely; a cluster uses a few. */
const countedLabelsMax = 32;

type NodeFacts = readonly [images: ReadonlyMap<string, number>, labels: Readonly<Record<string, string>>];

/**
 * Finds the nodes that matter to a decision without a walk over all of them. It is kept by
 * differences: what a change costs does not grow with the cluster.
 */
export class NodeIndex {
  readonly #matches = new MatchCounts();
  readonly #terms = new PlacedTerms();
  /** The nodes by the UIDs of the controllers whose pods they have; none is empty. */
  readonly #byOwner = new Map<string, Set<NodeInfo>>();
  /** The number of nodes by image; none is zero. */
  readonly #byImage = new Map<string, number>();
  /** The number of nodes by value, for the labels that decisions have asked for. */
  readonly #domains = new Map<string, Map<string, number>>();

  *ofOwner(ownerUid: string): Generator<NodeInfo, void> {
    for (const info of this.#byOwner.get(ownerUid) ?? []) if (info.node !== undefined) yield info;
  }

  withImage(image: string): number {
    return this.#byImage.get(image) ?? 0;
  }

  /** @param all every node that has pods, those that are gone included. */
  matching(matcher: PodMatcher, all: Iterable<NodeInfo>): ReadonlyMap<NodeInfo, number> {
    return this.#matches.of(matcher, all);
  }

  placedTerms(kind: TermKind): Iterable<PlacedTerm> {
    return this.#terms.of(kind);
  }

  /** Call when the pod has been put on the node (1), or taken off (-1). */
  podChanged(info: NodeInfo, pod: PodInfo, by: 1 | -1): void {
    const { ownerUid } = pod;
    this.#matches.changed(info, pod, by);
    this.#terms.changed(info, pod, by);
    if (ownerUid === undefined) return;
    const nodes = this.#byOwner.get(ownerUid);
    if (info.podsOfOwner(ownerUid) > 0) {
      if (nodes === undefined) this.#byOwner.set(ownerUid, new Set([info]));
      else nodes.add(info);
      return;
    }
    nodes?.delete(info);
    if (nodes?.size === 0) this.#byOwner.delete(ownerUid);
  }

  /** The values of a label that the nodes have; counted when it is first asked for. */
  domainsOf(topologyKey: string, nodes: readonly NodeInfo[]): ReadonlyMap<string, number> {
    const known = this.#domains.get(topologyKey);
    if (known !== undefined) return known;
    const domains = new Map<string, number>();
    for (const { labels } of nodes) countLabel(domains, labels[topologyKey], 1);
    // The one that was asked for first goes: a label that is still of use is counted again.
    const [oldest] = this.#domains.keys();
    if (oldest !== undefined && this.#domains.size >= countedLabelsMax) this.#domains.delete(oldest);
    this.#domains.set(topologyKey, domains);
    return domains;
  }

  nodeChanged([imagesBefore, labelsBefore]: NodeFacts, [images, labels]: NodeFacts): void {
    for (const [image, bytes] of imagesBefore) if (bytes > 0) addCount(this.#byImage, image, -1);
    for (const [image, bytes] of images) if (bytes > 0) addCount(this.#byImage, image, 1);
    for (const [key, domains] of this.#domains) {
      countLabel(domains, labelsBefore[key], -1);
      countLabel(domains, labels[key], 1);
    }
  }
}

function countLabel(domains: Map<string, number>, value: string | undefined, by: 1 | -1): void {
  if (value !== undefined) addCount(domains, value, by);
}
