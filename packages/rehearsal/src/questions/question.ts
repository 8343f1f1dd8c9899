/** A question of a rehearsal: what is done to the cluster in each of its lives. */
export type RehearsalQuestion =
  /** The power of these nodes goes at once, and does not return. */
  | { readonly kind: "nodes-off"; readonly about: string; readonly nodes: readonly string[] }
  /** Every pod of a workload is deleted at once, as by a mistake. */
  | { readonly kind: "pods-deleted"; readonly about: string; readonly workload: string }
  /**
   * Node after node is cordoned and drained; with `rebootMs` it is off for that long, and returns.
   */
  | {
      readonly kind: "drains";
      readonly about: string;
      readonly nodes: readonly string[];
      readonly rebootMs?: number;
      /** Further nodes that take the pods meanwhile. */
      readonly surge?: number;
    };
