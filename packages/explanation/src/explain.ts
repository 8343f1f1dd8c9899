import { type ApiObject, formatTimestamp } from "@kintsugi/api";
import { type Explanation, byImportance, type ExplainedReason } from "./explanation.ts";
import { budgetReasons } from "./others/budget.ts";
import { claimReasons } from "./others/claim.ts";
import { namespaceReasons } from "./others/namespace.ts";
import { serviceReasons, serviceState } from "./others/service.ts";
import { snapshotReasons, snapshotState } from "./others/snapshot.ts";
import { nodeReasons, nodeState } from "./node/explain-node.ts";
import { podReasons, podState } from "./pod/explain-pod.ts";
import { finalizerReasons } from "./words/finalizers.ts";
import { aboutObject } from "./words/phrases.ts";
import { autoscalerReasons, autoscalerState } from "./workloads/autoscaler.ts";
import { cronJobReasons, cronJobState } from "./workloads/cron-job.ts";
import { daemonSetReasons, daemonSetState } from "./workloads/daemon-set.ts";
import { deploymentReasons, deploymentState } from "./workloads/deployment.ts";
import { jobReasons, jobState } from "./workloads/job.ts";
import { replicasReasons, replicasState } from "./workloads/replica-set.ts";
import { statefulSetReasons } from "./workloads/stateful-set.ts";
import type { KindsRead, World } from "./world.ts";

/**
 * The functions that explain one kind: its reasons, its state in words, and the kinds that it
 * needs.
 */
interface Explainer<T extends ApiObject> {
  readonly kind: string;
  reasons(object: T, world: World): ExplainedReason[];
  state(object: T, world: World): string;
  /** Kinds of the object's namespace on which its reasons depend. */
  readonly near: readonly Resource[];
  /** Kinds of the whole cluster. */
  readonly wide: readonly Resource[];
}

type Resource = keyof KindsRead;

// The kinds on which pods' reasons depend are also read for each workload.
const ofPods = ["pods", "replicasets", "persistentvolumeclaims", "poddisruptionbudgets", "events"] as const;
const aroundPods = ["nodes", "leases", "storageclasses", "persistentvolumes"] as const;

export const explainers = {
  pods: { kind: "Pod", reasons: podReasons, state: podState, near: ofPods, wide: aroundPods },
  nodes: {
    kind: "Node",
    reasons: nodeReasons,
    state: nodeState,
    near: [],
    wide: ["pods", "nodes", "leases", "poddisruptionbudgets", "replicasets"],
  },
  deployments: {
    kind: "Deployment",
    reasons: deploymentReasons,
    state: deploymentState,
    near: ofPods,
    wide: aroundPods,
  },
  statefulsets: {
    kind: "StatefulSet",
    reasons: statefulSetReasons,
    state: replicasState,
    near: ofPods,
    wide: aroundPods,
  },
  daemonsets: { kind: "DaemonSet", reasons: daemonSetReasons, state: daemonSetState, near: ofPods, wide: aroundPods },
  jobs: { kind: "Job", reasons: jobReasons, state: jobState, near: ofPods, wide: aroundPods },
  cronjobs: {
    kind: "CronJob",
    reasons: cronJobReasons,
    state: cronJobState,
    near: [...ofPods, "jobs"],
    wide: aroundPods,
  },
  replicasets: {
    kind: "ReplicaSet",
    reasons: (set, world) => replicasReasons(set, "ReplicaSet", world),
    state: replicasState,
    near: ofPods,
    wide: aroundPods,
  },
  replicationcontrollers: {
    kind: "ReplicationController",
    reasons: (set, world) => replicasReasons(set, "ReplicationController", world),
    state: replicasState,
    near: ofPods,
    wide: aroundPods,
  },
  horizontalpodautoscalers: {
    kind: "HorizontalPodAutoscaler",
    reasons: autoscalerReasons,
    state: autoscalerState,
    near: ["events"],
    wide: [],
  },
  services: {
    kind: "Service",
    reasons: serviceReasons,
    state: serviceState,
    near: [...ofPods, "endpointslices"],
    wide: aroundPods,
  },
  persistentvolumeclaims: {
    kind: "PersistentVolumeClaim",
    reasons: (claim, world) => claimReasons(claim, world),
    state: ({ status }) => status?.phase ?? "Pending",
    near: ["pods", "events"],
    wide: ["storageclasses", "persistentvolumes"],
  },
  volumesnapshots: {
    kind: "VolumeSnapshot",
    reasons: snapshotReasons,
    state: snapshotState,
    near: ["events"],
    wide: [],
  },
  poddisruptionbudgets: {
    kind: "PodDisruptionBudget",
    reasons: budgetReasons,
    state: ({ status }) => `allows ${status?.disruptionsAllowed ?? 0} evictions now`,
    near: ["pods"],
    wide: [],
  },
  namespaces: {
    kind: "Namespace",
    reasons: namespaceReasons,
    state: ({ status }) => status?.phase ?? "Active",
    near: [],
    wide: [],
  },
} as const satisfies { readonly [R in Resource]?: Explainer<KindsRead[R]> };

export type Explained = keyof typeof explainers;

/** Explains one object of a world that has the kinds which its explainer needs. */
export function explainObject<R extends Explained>(
  resource: R,
  object: KindsRead[R],
  { world, unread = [] }: { world: World; unread?: readonly string[] },
): Explanation {
  const explainer = explainers[resource] as unknown as Explainer<KindsRead[R]>;
  const subject = aboutObject(explainer.kind, object);
  return {
    apiVersion: "kintsugi.dev/v1alpha1",
    kind: "Explanation",
    subject,
    state: explainer.state(object, world),
    observedAt: formatTimestamp(world.nowMs),
    reasons: byImportance([...deletion(resource, object, subject), ...explainer.reasons(object, world)]),
    unread: [...unread],
  };
}

/** The explanations of these kinds cover their deletion themselves. */
const explainOwnEnd: ReadonlySet<Explained> = new Set(["pods", "nodes", "namespaces", "persistentvolumeclaims"]);

function deletion(resource: Explained, { metadata }: ApiObject, subject: Explanation["subject"]): ExplainedReason[] {
  if (metadata.deletionTimestamp === undefined || explainOwnEnd.has(resource)) return [];
  return finalizerReasons(subject, metadata.finalizers ?? []);
}
