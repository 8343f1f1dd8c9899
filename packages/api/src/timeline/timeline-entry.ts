/**
 * One step in the history of a node or a pod, as the recovery timeline shows it, or of the Lease by
 * which a program of the control plane leads.
 */
export interface TimelineEntry {
  /**
   * Wall time at which the change was committed; for container states, the time that the node
   * reported.
   */
  timeMs: number;
  /** The time of the commit, where `timeMs` is the node's: that is exact to the second only. */
  committedMs?: number | undefined;
  revision: number;
  kind: "Node" | "Pod" | "Lease";
  /** "" for nodes. */
  namespace: string;
  name: string;
  /** The node that it is about: itself, or the one that the pod is bound to; "" for none. */
  node: string;
  /**
   * The kind of step, one of a few words: "created", "bound", "condition", "container-terminated"…
   * A Lease has "leads" and "released".
   */
  what: string;
  /** Details in a few words, with upstream's reasons. */
  detail: string;
  /** The name of the API server that took the write; absent where there is only one. */
  server?: string | undefined;
}
