/** A change that was tried: the same questions, repeated with the change. */
export interface TriedChange {
  /** "2 replicas of shop/deployment/solo". */
  readonly what: string;
  /** A command that makes the change. */
  readonly command: string;
  /**
   * The downtime of all workloads in the repeated questions: the sum of the p50 of each downtime
   * that ends, in ms.
   */
  readonly beforeMs: number;
  readonly afterMs: number;
  /** Other changes, such as pods without a node, before and after. */
  readonly pendingBefore: number;
  readonly pendingAfter: number;
  /** The questions whose drains are blocked, before and after. */
  readonly stopsBefore: number;
  readonly stopsAfter: number;
  /** The workloads that are down forever in a question, before and after. */
  readonly endlessBefore: number;
  readonly endlessAfter: number;
  /** The StatefulSets that lack a pod at the end of a question, before and after the change. */
  readonly brokenBefore: number;
  readonly brokenAfter: number;
}
