/** The state of a pod as its bar shows it. */
export type PodState =
  | "pending"
  | "starting"
  | "ready"
  | "unready"
  | "waiting"
  | "terminating"
  | "succeeded"
  | "failed";

/** A stretch of a bar; it lasts until the next one begins, or the bar ends. */
export interface Span {
  readonly fromMs: number;
  readonly state: PodState;
  /** The words of the timeline on the change: "Ready=False (ContainersNotReady)". */
  readonly because: string;
}

/** A moment in the life of a pod's containers. */
export interface Mark {
  readonly atMs: number;
  readonly is: "ended" | "restarted";
  readonly detail: string;
}

/** The life of one pod on one node, or of one that waits for a node. */
export interface Bar {
  /** Counts up from 1 in the order in which bars began. */
  readonly number: number;
  readonly namespace: string;
  readonly name: string;
  /** The lane: the node's name, or "" while the pod has none. */
  readonly node: string;
  /** The row in the lane; it never changes. */
  readonly row: number;
  readonly fromMs: number;
  /** Undefined while the pod exists. */
  readonly toMs: number | undefined;
  /** The last of many spans may be joined, so that a pod that crashes for days stays small. */
  readonly spans: readonly Span[];
  readonly marks: readonly Mark[];
}

/** Returns the state of the bar now, or at its end. */
export function stateOf({ spans }: Pick<Bar, "spans">): PodState {
  return spans.at(-1)?.state ?? "pending";
}

/** The key of a pod among those that exist: "default/web-0". */
export function podKey({ namespace, name }: { namespace: string; name: string }): string {
  return `${namespace}/${name}`;
}
