import { apiVersionOf, builtInKinds, type Kind } from "@kintsugi/api";

/** The purpose for which a rehearsal reads a kind. */
type KindUse =
  /** Its objects live in the rehearsed cluster. */
  | "lives"
  /** Its objects show how long things take. */
  | "times"
  /** Its objects are named in the report, and do nothing. */
  | "named";

export interface RehearsedKind {
  readonly kind: Kind;
  readonly use: KindUse;
  /** The part of an answer that is unknown without it, as it follows "unknown are". */
  readonly without: string;
}

const table: readonly (readonly [group: string, resource: string, use: KindUse, without: string])[] = [
  ["", "nodes", "lives", "the nodes"],
  ["", "namespaces", "lives", "labels of namespaces"],
  ["", "pods", "lives", "the pods"],
  ["", "services", "lives", "the Services behind webhooks and names"],
  ["", "persistentvolumes", "lives", "the zones of volumes"],
  ["", "persistentvolumeclaims", "lives", "the volumes of pods"],
  ["", "resourcequotas", "lives", "the quotas that may refuse a replacement"],
  ["", "limitranges", "lives", "the limits that may refuse a replacement"],
  ["", "replicationcontrollers", "lives", "the workloads of ReplicationControllers"],
  ["apps", "deployments", "lives", "the Deployments"],
  ["apps", "replicasets", "lives", "the ReplicaSets"],
  ["apps", "statefulsets", "lives", "the StatefulSets"],
  ["apps", "daemonsets", "lives", "the DaemonSets"],
  ["apps", "controllerrevisions", "lives", "whether rollouts of sets are half done"],
  ["batch", "jobs", "lives", "the Jobs"],
  ["policy", "poddisruptionbudgets", "lives", "the budgets that hold drains up"],
  ["scheduling.k8s.io", "priorityclasses", "lives", "which pods make room for others"],
  ["storage.k8s.io", "storageclasses", "lives", "where new volumes may be"],
  ["admissionregistration.k8s.io", "validatingwebhookconfigurations", "lives", "the webhooks that may refuse pods"],
  ["admissionregistration.k8s.io", "mutatingwebhookconfigurations", "lives", "the webhooks that may refuse pods"],
  ["", "events", "times", "measured times of pulls"],
  ["batch", "cronjobs", "named", "the CronJobs"],
  ["autoscaling", "horizontalpodautoscalers", "named", "which workloads change their size"],
  ["apiextensions.k8s.io", "customresourcedefinitions", "named", "the kinds of operators"],
];

/** The kinds that a rehearsal reads, in the order in which it reads them. */
export const rehearsedKinds: readonly RehearsedKind[] = table.map(([group, resource, use, without]) => {
  const kind = builtInKinds.find(({ type }) => type.group === group && type.resource === resource);
  if (kind === undefined) throw new Error(`there is no kind ${resource} of the group "${group}"`);
  return { kind, use, without };
});

export function findRehearsedKind(apiVersion: string, kind: string): RehearsedKind | undefined {
  return rehearsedKinds.find((each) => each.kind.type.kind === kind && apiVersionOf(each.kind.type) === apiVersion);
}

/** The same kind in another version of its group: one that this program does not read. */
export function findOtherVersion(apiVersion: string, kind: string): RehearsedKind | undefined {
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  return rehearsedKinds.find((each) => each.kind.type.kind === kind && each.kind.type.group === group);
}
