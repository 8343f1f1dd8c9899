import type { CommittedChange, Entry, Store } from "@kintsugi/store";
import { pods } from "@kintsugi/api";
import { parseStoreKey, storeResource } from "../resources/keys.ts";
import type { Registry } from "../resources/registry.ts";

const podResource = storeResource(pods);

/** The node that an entry concerns, or ""; determined by the kind. */
export function nodeOf(registry: Pick<Registry, "findStored">, resource: string, entry: Entry): string {
  const exceptions = registry.findStored(resource)?.kind.exceptions;
  if (exceptions?.nodeOf === undefined) return "";
  const { namespace, name } = parseStoreKey(entry.key);
  return exceptions.nodeOf({ namespace, name, fields: entry.index.fields });
}

/**
 * Twice the nodes that Kubernetes supports in a cluster, because names of deleted Nodes are also
 * here.
 */
const nodesMax = 10_000;

/**
 * Records, for each node, the last revision that changed one of its pods. From that revision, a
 * kubelet that follows only its own pods detects whether it has missed an event.
 */
export class NodeRevisions {
  readonly #lastOfNode = new Map<string, number>();
  /**
   * The revision up to which two facts are unknown: whether changes reached the bus before this
   * server's start, and the node of a pod that was deleted before it. A kubelet behind this
   * revision resumes from its own revision, although it may have missed nothing.
   */
  #floor: number;

  readonly #registry: Pick<Registry, "findStored">;

  constructor(deps: { store: Pick<Store, "historyStart" | "lastRevisionOf">; registry: Pick<Registry, "findStored"> }) {
    const { store, registry } = deps;
    this.#registry = registry;
    this.#floor = Math.max(store.historyStart, store.lastRevisionOf(podResource));
  }

  lastOf(nodeName: string): number {
    return this.#lastOfNode.get(nodeName) ?? this.#floor;
  }

  /** Records the next change. Returns the revision of the previous change of the same node. */
  advance({ resource, entry, before, revision }: CommittedChange): number {
    if (resource !== podResource) return before?.revision ?? 0;
    const nodeName = nodeOf(this.#registry, resource, entry);
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
