import { RevisionExpired, type Store } from "@kintsugi/store";
import type { CommittedChange, Entry } from "@kintsugi/store";
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

/**
 * For each node, the last revision that changed one of its pods: a kubelet that follows only its own pods sees by it whether it
 * has missed something. One number per node.
 */
export class NodeRevisions {
  readonly #lastOfNode = new Map<string, number>();

  /** Whoever knows a history before this one has to read everything again, although no pod of its node has changed since. */
  readonly #historyStart: number;

  constructor(store: Pick<Store, "historyStart" | "list" | "changesSince">) {
    this.#historyStart = store.historyStart;
    for (const entry of store.list(`${podResource}/`).entries) this.#raise(entry, entry.revision);
    // Deleted pods are found as long as the window has them.
    for (const change of recentChanges(store)) this.#raise(change.entry, change.revision);
  }

  /** The start of the history, 0 unless it was restored, when the node has had no pods since. */
  lastOf(nodeName: string): number {
    return Math.max(this.#lastOfNode.get(nodeName) ?? 0, this.#historyStart);
  }

  /** Takes in the next change; gives the revision of the one before it that concerned the same node. */
  advance(change: CommittedChange): number {
    const { resource, entry, before, revision, type } = change;
    if (resource === nodeResource && type === "delete") this.#lastOfNode.delete(parseStoreKey(entry.key).name);
    if (resource !== podResource) return before?.revision ?? 0;
    const previous = this.lastOf(nodeOf(resource, entry));
    this.#raise(entry, revision);
    return previous;
  }

  #raise(entry: Entry, revision: number): void {
    const nodeName = nodeOf(podResource, entry);
    if (nodeName !== "" && revision > this.lastOf(nodeName)) this.#lastOfNode.set(nodeName, revision);
  }
}

function recentChanges(store: Pick<Store, "changesSince">): readonly CommittedChange[] {
  try {
    return store.changesSince(podResource, 0);
  } catch (error) {
    if (error instanceof RevisionExpired) return [];
    throw error;
  }
}
