import type { NodeInfo } from "./node-info.ts";

/** The cluster as a decision sees it. Decisions are synchronous, so nothing changes while one is made. */
export interface Snapshot {
  /** The nodes that exist. */
  readonly nodes: readonly NodeInfo[];
  find(name: string): NodeInfo | undefined;
  /** Undefined if the namespace is not known. */
  namespaceLabels(namespace: string): Readonly<Record<string, string>> | undefined;
}
