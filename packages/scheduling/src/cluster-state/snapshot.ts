import type { HostPort } from "@kintsugi/api";
import type { DevicesView } from "../devices/devices.ts";
import type { NodeColumns } from "./columns/node-columns.ts";
import type { PodsByNode } from "./counts/pods-by-node.ts";
import type { NodeInfo } from "./node-info.ts";
import type { PodMatcher } from "./counts/match-counts.ts";
import type { PlacedTerm, TermKind } from "./counts/placed-terms.ts";
import type { PodInfo } from "./pod-info.ts";
import type { StorageView } from "./storage.ts";

/**
 * The cluster in the view of a decision. Decisions are synchronous, so the cluster does not change
 * during a decision.
 */
export interface Snapshot {
  /** The nodes that exist. */
  readonly nodes: readonly NodeInfo[];
  /** The row of each of the nodes, in their order. Reading the rows does not touch the nodes. */
  readonly rowOfNode: Int32Array;
  readonly storage: StorageView;
  readonly devices: DevicesView;
  /** Columns with a row for each of the nodes; undefined if a node is only supposed. */
  readonly columns?: NodeColumns | undefined;
  find(name: string): NodeInfo | undefined;
  /** Undefined if the namespace is not known. */
  namespaceLabels(namespace: string): Readonly<Record<string, string>> | undefined;
  /**
   * The numbers of matching placed pods by node, without nodes whose number is zero. Nodes that no
   * longer exist may be among them; their `node` is undefined.
   */
  matching(matcher: PodMatcher): PodsByNode;
  /**
   * The affinity terms of placed pods, and the numbers of these pods by node, in the form of
   * `matching`.
   */
  placedTerms(kind: TermKind): Iterable<PlacedTerm>;
  /**
   * The numbers of pods of this controller that are not terminating. The list has the same form as
   * the list of `matching`.
   */
  podsOfOwner(ownerUid: string): PodsByNode;
  /**
   * The numbers of pods that take this port of their node, for any of its addresses. The list has
   * the same form as the list of `matching`.
   */
  podsWithPort(port: HostPort): PodsByNode;
  /** Returns how many nodes have the image, which has to be named with a tag or digest. */
  nodesWithImage(image: string): number;
  /** The values that nodes have for the label, and the number of nodes with each value. */
  domainsOf(topologyKey: string): ReadonlyMap<string, number>;
  /** Reports whether room is being made on any node. */
  readonly hasNominations: boolean;
  /** The names of the nodes on which room is being made. */
  nominatedNodes(): Iterable<string>;
  /** The pods for which room is being made on the node. */
  nominatedOn(nodeName: string): Iterable<PodInfo>;
  /** Returns the node on which room is being made for the pod. */
  nominatedNode(uid: string): string | undefined;
  /**
   * Reports whether this scheduler is deleting the pod to make room, and the informer does not show
   * it yet.
   */
  isBeingPreempted(uid: string): boolean;
}
