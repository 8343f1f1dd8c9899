import type { CommittedChange, Entry, Store } from "@kintsugi/store";
import { parseStoreKey } from "../resources/keys.ts";

const podResource = "core/pods";
const nodeResource = "core/nodes";
const leaseResource = "coordination.k8s.io/leases";
const nodeLeaseNamespace = "kube-node-lease";

/** The node that a change concerns: of pods the one they are bound to, of Nodes and their Leases the one of that name, else "". */
export function nodeOf(resource: string, entry: Entry): string {
  switch (resource) {
    case podResource:
      return entry.index.fields?.["spec.nodeName"] ?? "";
    case nodeResource:
      return parseStoreKey(entry.key).name;
    case leaseResource: {
      const { namespace, name } = parseStoreKey(entry.key);
      return namespace === nodeLeaseNamespace ? name : "";
    }
    default:
      return "";
  }
}

/** Twice what Kubernetes promises for a cluster: names of Nodes that are no more are here too. */
const nodesMax = 10_000;

/**
 * For each node, the last revision that changed one of its pods: a kubelet that follows only its own pods sees by it whether it
 * has missed something.
 */
export class NodeRevisions {
  readonly #lastOfNode = new Map<string, number>();
  /**
   * Stands for what is not known: whether changes before this server's start reached the bus, and on which node a pod was that
   * was deleted before it. Whoever is behind this reads on from where it is, although it may have missed nothing.
   */
  #floor: number;

  constructor(store: Pick<Store, "historyStart" | "lastRevisionOf">) {
    this.#floor = Math.max(store.historyStart, store.lastRevisionOf(podResource));
  }

  lastOf(nodeName: string): number {
    return this.#lastOfNode.get(nodeName) ?? this.#floor;
  }

  /** Takes in the next change; gives the revision of the one before it that concerned the same node. */
  advance({ resource, entry, before, revision }: CommittedChange): number {
    if (resource !== podResource) return before?.revision ?? 0;
    const nodeName = nodeOf(resource, entry);
    const previous = this.lastOf(nodeName);
    if (nodeName !== "") this.#put(nodeName, revision);
    return previous;
  }

  #put(nodeName: string, revision: number): void {
    if (this.#lastOfNode.size >= nodesMax && !this.#lastOfNode.has(nodeName)) {
      this.#lastOfNode.clear();
      this.#floor = revision;
    }
    this.#lastOfNode.set(nodeName, revision);
  }
}
