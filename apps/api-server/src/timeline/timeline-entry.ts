/** One step of what happened to a node or a pod, as the recovery timeline shows it. */
export interface TimelineEntry {
  /**
   * Wall time at which the change was committed; for container states, when the node says that it
   * happened.
   */
  timeMs: number;
  /**
   * When it was committed, where `timeMs` is what the node says: that is exact to the second only.
   */
  committedMs?: number | undefined;
  revision: number;
  kind: "Node" | "Pod";
  /** "" for nodes. */
  namespace: string;
  name: string;
  /** The node that it is about: itself, or the one that the pod is bound to; "" for none. */
  node: string;
  /**
   * What happened, as one of a few words: "created", "bound", "condition", "container-terminated"…
   */
  what: string;
  /** Told in a few words, with upstream's reasons. */
  detail: string;
}
