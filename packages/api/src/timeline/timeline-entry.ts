/**
 * One step in the history of a node or a pod for the recovery timeline, or of a Lease by which the
 * control plane elects a leader.
 */
export interface TimelineEntry {
  /** Wall time of the change's commit; for container states, the time that the node reported. */
  timeMs: number;
  /** The time of the commit, if `timeMs` is the node's, which is exact only to the second. */
  committedMs?: number | undefined;
  revision: number;
  kind: "Node" | "Pod" | "Lease";
  /** "" for nodes. */
  namespace: string;
  name: string;
  /** The node that changed, or the node to which the pod is bound; "" without a node. */
  node: string;
  /**
   * The kind of step: "created", "bound", "condition", "container-terminated"… A Lease has "leads"
   * and "released".
   */
  what: string;
  /** Details in a few words, with upstream's reasons. */
  detail: string;
  /** The name of the API server that accepted the write; absent if there is only one server. */
  server?: string | undefined;
}
