import type { Aftermath } from "./aftermath.ts";
import type { DowntimeSpan } from "./downtime.ts";

/** The part of a downtime that ends with a step. Each step has a timer or a machine of its own. */
export type CauseKind =
  | "lost"
  | "back"
  /** A node is detected as silent. */
  | "noticed"
  /** The deletion of a pod begins. */
  | "told"
  | "gone"
  | "made"
  | "placed"
  /** A pod does not fit on any node, or its creation is rejected. */
  | "refused"
  | "ready";

/** One step in the causes of a workload's downtime. */
export interface CauseStep {
  /** Counted from the fault. */
  readonly atMs: number;
  readonly is: CauseKind;
  readonly what: string;
}

/** The effect of one run on one workload. */
export interface WorkloadOutcome extends DowntimeSpan {
  readonly workload: string;
  readonly kind: string;
  readonly before: number;
  readonly wanted: number;
  /** The steps of its first lost pod, until a replacement is Ready. */
  readonly chain: readonly CauseStep[];
  /** The pod's owner is not modeled, so it is unknown which program replaces its pods. */
  readonly unmodelledOwner?: string;
}

/** A pod without a node at the end. */
export interface PendingPod {
  readonly pod: string;
  readonly workload: string;
  /** The message of the scheduler, or of the API server. */
  readonly because: string;
}

/** A pod that is blocked at the end of a run. */
export interface StuckPod {
  readonly pod: string;
  readonly workload: string;
  readonly nodeName: string;
  readonly because: string;
  /** The pod's deletion has begun, and its node does not answer. */
  readonly isTerminating: boolean;
}

/** One node's turn in a drain of several nodes. */
export interface DrainTurn {
  readonly node: string;
  readonly fromMs: number;
  readonly tookMs: number;
  readonly isDone: boolean;
  /** The longest-lasting refusals: budget, pod and time. */
  readonly heldBy: readonly { readonly budget: string; readonly pod: string; readonly forMs: number }[];
}

export interface RunOutcome {
  readonly seed: number;
  readonly durationMs: number;
  /** The workloads that were degraded at any time. */
  readonly workloads: readonly WorkloadOutcome[];
  readonly pending: readonly PendingPod[];
  readonly stuck: readonly StuckPod[];
  readonly drains: readonly DrainTurn[];
  readonly aftermath: Aftermath;
  /** The reason why the run was ended before the cluster became idle. */
  readonly cutShort?: string;
}
