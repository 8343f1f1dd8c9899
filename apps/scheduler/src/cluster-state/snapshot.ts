import type { NodeInfo } from "./node-info.ts";

/** The cluster as a decision sees it. Decisions are synchronous, so nothing changes while one is made. */
export interface Snapshot {
  /** The nodes that exist. */
  readonly nodes: readonly NodeInfo[];
  find(name: string): NodeInfo | undefined;
  /** Undefined if the namespace is not known. */
  namespaceLabels(namespace: string): Readonly<Record<string, string>> | undefined;
}

/** The snapshot with one node as if it were otherwise. */
export function withNode(snapshot: Snapshot, changed: NodeInfo): Snapshot {
  return {
    nodes: snapshot.nodes.map((node) => (node.name === changed.name ? changed : node)),
    find: (name) => (name === changed.name ? changed : snapshot.find(name)),
    namespaceLabels: (namespace) => snapshot.namespaceLabels(namespace),
  };
}
