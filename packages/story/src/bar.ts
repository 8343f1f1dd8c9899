/** The state of a pod in its bar. */
export type PodState =
  | "pending"
  | "starting"
  | "ready"
  | "unready"
  | "waiting"
  | "terminating"
  | "succeeded"
  | "failed";

/** A span of a bar, which lasts until the next span begins, or the bar ends. */
export interface Span {
  readonly fromMs: number;
  readonly state: PodState;
  /** The timeline's text of the change: "Ready=False (ContainersNotReady)". */
  readonly because: string;
}

/** A moment in the life of a pod's containers. */
export interface Mark {
  readonly atMs: number;
  readonly is: "ended" | "restarted";
  readonly detail: string;
}

/** The life of one pod on one node, or of a pod that waits for a node. */
export interface Bar {
  /** Increases from 1 in the order in which bars began. */
  readonly number: number;
  readonly namespace: string;
  readonly name: string;
  /** The lane: the node's name, or "" while the pod has no node. */
  readonly node: string;
  /** The row in the lane; it never changes. */
  readonly row: number;
  readonly fromMs: number;
  /** Undefined while the pod exists. */
  readonly toMs: number | undefined;
  /**
   * The oldest of many spans may be merged, so that a pod that crashes for days uses little memory.
   */
  readonly spans: readonly Span[];
  readonly marks: readonly Mark[];
}

/** Returns the current state of the bar, or its last state. */
export function stateOf({ spans }: Pick<Bar, "spans">): PodState {
  return spans.at(-1)?.state ?? "pending";
}

/** The key of a pod among the existing pods: "default/web-0". */
export function podKey({ namespace, name }: { namespace: string; name: string }): string {
  return `${namespace}/${name}`;
}
