import { apiVersionOf, builtInKinds, type Kind, usageKinds } from "@kintsugi/api";

/** The purpose for which a rehearsal reads a kind. */
type KindUse =
  /** Objects of the kind exist in the rehearsed cluster. */
  | "runs"
  /** Objects of the kind show the durations of starts and pulls. */
  | "times"
  /** Objects of the kind are listed in the report, and have no effect. */
  | "named";

export interface RehearsedKind {
  readonly kind: Kind;
  /**
   * The name of the kind in pictures: its resource, or another name where two kinds share the
   * resource.
   */
  readonly key: string;
  readonly use: KindUse;
  /** The part of an answer that is unknown without the kind, phrased to follow "unknown are". */
  readonly without: string;
}

const metricsGroup = "metrics.k8s.io";
/** The key of the pods' metrics, whose resource is called pods too. */
export const podMetricsKey = "podmetrics";

const table: readonly (readonly [group: string, resource: string, use: KindUse, without: string])[] = [
  ["", "nodes", "runs", "the nodes"],
  ["", "namespaces", "runs", "labels of namespaces"],
  ["", "pods", "runs", "the pods"],
  ["", "services", "runs", "the Services behind webhooks and names"],
  ["", "persistentvolumes", "runs", "the zones of volumes"],
  ["", "persistentvolumeclaims", "runs", "the volumes of pods"],
  ["", "resourcequotas", "runs", "the quotas that may reject a replacement"],
  ["", "limitranges", "runs", "the limits that may reject a replacement"],
  ["", "replicationcontrollers", "runs", "the workloads of ReplicationControllers"],
  ["apps", "deployments", "runs", "the Deployments"],
  ["apps", "replicasets", "runs", "the ReplicaSets"],
  ["apps", "statefulsets", "runs", "the StatefulSets"],
  ["apps", "daemonsets", "runs", "the DaemonSets"],
  ["apps", "controllerrevisions", "runs", "whether rollouts of StatefulSets are incomplete"],
  ["batch", "jobs", "runs", "the Jobs"],
  ["policy", "poddisruptionbudgets", "runs", "the budgets that block drains"],
  ["scheduling.k8s.io", "priorityclasses", "runs", "which pods preempt others"],
  ["storage.k8s.io", "storageclasses", "runs", "where new volumes may be"],
  ["admissionregistration.k8s.io", "validatingwebhookconfigurations", "runs", "the webhooks that may reject pods"],
  ["admissionregistration.k8s.io", "mutatingwebhookconfigurations", "runs", "the webhooks that may reject pods"],
  ["", "events", "times", "measured times of pulls"],
  ["coordination.k8s.io", "leases", "times", "the measured grace period of silent nodes"],
  ["batch", "cronjobs", "named", "the CronJobs"],
  ["autoscaling", "horizontalpodautoscalers", "named", "which workloads are autoscaled"],
  [metricsGroup, "pods", "named", "the load of pods"],
  ["apiextensions.k8s.io", "customresourcedefinitions", "named", "the kinds of operators"],
];

/** The kinds that a rehearsal reads, in the order in which it reads them. */
export const rehearsedKinds: readonly RehearsedKind[] = table.map(([group, resource, use, without]) => {
  const kind = [...builtInKinds, ...usageKinds].find(({ type }) => type.group === group && type.resource === resource);
  if (kind === undefined) throw new Error(`there is no kind ${resource} of the group "${group}"`);
  return { kind, key: group === metricsGroup ? podMetricsKey : resource, use, without };
});

export function findRehearsedKind(apiVersion: string, kind: string): RehearsedKind | undefined {
  return rehearsedKinds.find((each) => each.kind.type.kind === kind && apiVersionOf(each.kind.type) === apiVersion);
}

/** The kind in a version of its group that this program does not read. */
export function findOtherVersion(apiVersion: string, kind: string): RehearsedKind | undefined {
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  return rehearsedKinds.find((each) => each.kind.type.kind === kind && each.kind.type.group === group);
}
