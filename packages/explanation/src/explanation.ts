/**
 * Codes of reasons, the most important first: an explanation lists its reasons in this order.
 * Programs may rely on a code. The sentences are for people and may change.
 */
export const reasonCodes = [
  // The deletion of an object, and what delays it.
  "KubeletSilent",
  "FinalizerHolds",
  "TerminationOverdue",
  "Terminating",
  // A pod that has ended, or was removed.
  "Evicted",
  "Failed",
  "Disrupted",
  // A pod without a node.
  "SchedulingGated",
  "VolumeUnbound",
  "DevicesUnallocated",
  "Unschedulable",
  "MakingRoom",
  "NotYetScheduled",
  // The node.
  "EvictionsPaused",
  "NodeSilent",
  "NodeNotReady",
  "EvictionsWait",
  "NodeLate",
  "PodLeaves",
  "PodStays",
  // Containers, and their health.
  "ImagePullFailed",
  "CannotStart",
  "BackOff",
  "VolumeNotMounted",
  "DevicesNotPrepared",
  "VolumeNotModified",
  "SnapshotNotReady",
  "Starting",
  "StartupProbe",
  "LivenessProbe",
  "ReadinessProbe",
  "ReadinessGate",
  "NotYetAvailable",
  // Workloads.
  "WaitsForSilentNode",
  "RolloutStuck",
  "PodsRefused",
  "Suspended",
  "Paused",
  "ScheduleUnreadable",
  "MissedRun",
  "JobBackOff",
  "WaitsForOrdinal",
  "WaitsForUpdate",
  "NodesWithoutPod",
  "Progressing",
  "TooFewPods",
  "Running",
  "MetricsMissing",
  "Limited",
  "NextRun",
  // Services, budgets, nodes under maintenance.
  "NoSelector",
  "NoPodsMatch",
  "NoPodsReady",
  "BudgetExhausted",
  "Draining",
  "Drained",
  "Cordoned",
  "Tainted",
  "Pressure",
  "RestartsDoNotHelp",
  "SelfFenced",
] as const;
export type ReasonCode = (typeof reasonCodes)[number];

/** The explanation of an object's state. Its shape is stable, so that programs may read it. */
export interface Explanation {
  readonly apiVersion: "kintsugi.dev/v1alpha1";
  readonly kind: "Explanation";
  readonly subject: ExplainedObject;
  /** The state of the subject in a few words: "Pending", "Running, not ready since 12 s". */
  readonly state: string;
  readonly observedAt: string;
  /** The most important reason is first. The list is empty if the object does not wait. */
  readonly reasons: readonly ExplainedReason[];
  /** A sentence for each kind of object that could not be read, and that may hide a reason. */
  readonly unread: readonly string[];
}

/** The subject of an explanation or of a reason. */
export interface ExplainedObject {
  readonly kind: string;
  /** "" for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

export interface ExplainedReason {
  readonly code: ReasonCode;
  readonly about: ExplainedObject;
  /** One sentence. */
  readonly because: string;
  /** Lines with the details of the reason: each node, each pod. */
  readonly details?: readonly string[];
  readonly since?: string;
  /** Completes the sentence "It waits for …". */
  readonly awaits?: string;
  /** The end of a running timer. */
  readonly due?: Due;
  /** One sentence about the next step. */
  readonly next?: string;
  readonly remedies?: readonly Remedy[];
}

export interface Due {
  readonly at: string;
  readonly timer: TimerName;
}

export type TimerName =
  | "toleration"
  | "node grace period"
  | "restart back-off"
  | "termination grace period"
  | "probe threshold"
  | "rollout deadline"
  | "minimum ready time"
  | "Job back-off"
  | "Job deadline"
  | "time to live"
  | "schedule";

/** A change that would help. */
export interface Remedy {
  /** An imperative without a full stop: "Give the pod less to ask for". */
  readonly does: string;
  readonly command?: string;
}

/** Orders reasons by importance; reasons of the same code keep their order. */
export function byImportance(reasons: readonly ExplainedReason[]): ExplainedReason[] {
  const rank = ({ code }: ExplainedReason) => reasonCodes.indexOf(code);
  return reasons.toSorted((a, b) => rank(a) - rank(b));
}
