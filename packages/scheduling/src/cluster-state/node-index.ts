import type { HostPort } from "@kintsugi/api";
import { addCount } from "./counts/add-count.ts";
import { MatchCounts, type PodMatcher } from "./counts/match-counts.ts";
import { KeptPodsByNode, type PodsByNode } from "./counts/pods-by-node.ts";
import type { NodeInfo } from "./node-info.ts";
import { type PlacedTerm, PlacedTerms, type TermKind } from "./counts/placed-terms.ts";
import type { PodInfo } from "./pod-info.ts";

/** Limit on counted labels. Pods name their topology keys freely; a cluster uses a few. */
const countedLabelsMax = 32;

type NodeFacts = readonly [images: ReadonlyMap<string, number>, labels: Readonly<Record<string, string>>];

/**
 * Finds the nodes that matter to a decision without a walk over all nodes. The index is updated
 * incrementally, so the cost of a change does not grow with the cluster.
 */
export class NodeIndex {
  readonly #matches = new MatchCounts();
  readonly #terms = new PlacedTerms();
  /**
   * The pods that are not terminating by the UIDs of their controllers; the sets are never empty.
   */
  readonly #byOwner = new Map<string, KeptPodsByNode>();
  /**
   * The nodes with a pod that uses a host port, by protocol and number; the sets are never empty.
   */
  readonly #byPort = new Map<string, KeptPodsByNode>();
  /** The number of nodes by image, without zeros. */
  readonly #byImage = new Map<string, number>();
  /** The number of nodes by value, for the labels that decisions have requested. */
  readonly #domains = new Map<string, Map<string, number>>();

  ofOwner(ownerUid: string): PodsByNode {
    return this.#byOwner.get(ownerUid) ?? [];
  }

  withPort(port: HostPort): PodsByNode {
    return this.#byPort.get(portKey(port)) ?? [];
  }

  withImage(image: string): number {
    return this.#byImage.get(image) ?? 0;
  }

  /** @param all every node that has pods, including nodes that no longer exist. */
  matching(matcher: PodMatcher, all: Iterable<NodeInfo>): PodsByNode {
    return this.#matches.of(matcher, all);
  }

  placedTerms(kind: TermKind): Iterable<PlacedTerm> {
    return this.#terms.of(kind);
  }

  /** Call when the pod has been added to the node (1), or removed from it (-1). */
  podChanged(info: NodeInfo, pod: PodInfo, by: 1 | -1): void {
    this.#matches.changed(info, pod, by);
    this.#terms.changed(info, pod, by);
    if (pod.ownerUid !== undefined && !pod.isTerminating) change(this.#byOwner, pod.ownerUid, { info, by });
    for (const key of new Set(pod.hostPorts.map(portKey))) change(this.#byPort, key, { info, by });
  }

  /** The values of a label that the nodes have, counted at the first request. */
  domainsOf(topologyKey: string, nodes: readonly NodeInfo[]): ReadonlyMap<string, number> {
    const known = this.#domains.get(topologyKey);
    if (known !== undefined) return known;
    const domains = new Map<string, number>();
    for (const { labels } of nodes) countLabel(domains, labels[topologyKey], 1);
    // The label that was requested first is dropped; a label that is still in use is counted again.
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

/** Two pods can conflict about ports with the same key, regardless of their addresses. */
function portKey({ protocol, port }: HostPort): string {
  return `${protocol} ${port}`;
}

function change(counts: Map<string, KeptPodsByNode>, key: string, { info, by }: { info: NodeInfo; by: 1 | -1 }): void {
  let kept = counts.get(key);
  if (kept === undefined) counts.set(key, (kept = new KeptPodsByNode()));
  kept.add(info, by);
  if (kept.size === 0) counts.delete(key);
}

function countLabel(domains: Map<string, number>, value: string | undefined, by: 1 | -1): void {
  if (value !== undefined) addCount(domains, value, by);
}
