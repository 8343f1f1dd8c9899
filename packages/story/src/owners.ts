import type { Deployment, Pod, ReplicaSet, StatefulSet } from "@kintsugi/api";

/** A workload as the page names it: the object that recreates the pods. */
export interface WorkloadRef {
  /** "Deployment", "StatefulSet", …; "Pod" for a pod without an owner. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The key of a workload, and its label: "default/Deployment/web". */
export function workloadKey({ namespace, kind, name }: WorkloadRef): string {
  return `${namespace}/${kind}/${name}`;
}

/** The workload of a pod: its controller, or the Deployment of its ReplicaSet. */
export function workloadOf(pod: Pod, findReplicaSet: (key: string) => ReplicaSet | undefined): WorkloadRef {
  const { namespace = "", name = "", ownerReferences = [] } = pod.metadata;
  const owner = ownerReferences.find(({ controller }) => controller === true);
  if (owner === undefined) return { kind: "Pod", namespace, name };
  if (owner.kind !== "ReplicaSet") return { kind: owner.kind, namespace, name: owner.name };
  const deployment = findReplicaSet(`${namespace}/${owner.name}`)?.metadata.ownerReferences?.find(
    ({ controller }) => controller === true,
  );
  if (deployment !== undefined) return { kind: deployment.kind, namespace, name: deployment.name };
  const hash = pod.metadata.labels?.["pod-template-hash"];
  const suffix = `-${hash ?? ""}`;
  return hash !== undefined && owner.name.endsWith(suffix)
    ? { kind: "Deployment", namespace, name: owner.name.slice(0, -suffix.length) }
    : { kind: "ReplicaSet", namespace, name: owner.name };
}

/** Generated names end with five characters of this alphabet, which has no vowels. */
const generatedSuffix = /-[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/**
 * The workload of a pod that no longer exists, derived from the pod's name, which ends with a
 * generated part or a number. A pod whose name does not match a known workload counts as a pod
 * without an owner.
 */
export function workloadByName(
  { namespace, name }: { namespace: string; name: string },
  known: ReadonlyMap<string, WorkloadRef>,
): WorkloadRef {
  const parts = generatedSuffix.test(name) ? [name.replace(generatedSuffix, "")] : [];
  const [set = ""] = parts;
  const candidates = [
    ...parts.flatMap((base) => ["ReplicaSet", "DaemonSet", "Job", "ReplicationController"].map((kind) => [kind, base])),
    ["Deployment", set.replace(/-[bcdfghjklmnpqrstvwxz2456789]{1,10}$/, "")],
    ["StatefulSet", name.replace(/-\d+$/, "")],
  ];
  for (const [kind = "", base = ""] of candidates) {
    const found = known.get(workloadKey({ kind, namespace, name: base }));
    if (found !== undefined) return found;
  }
  return { kind: "Pod", namespace, name };
}

/** The number of pods that a workload wants. Default 1. */
export function wantedPods({ spec }: Pick<Deployment | ReplicaSet | StatefulSet, "spec">): number {
  return spec?.replicas ?? 1;
}

/** Kinds whose objects are the owners of pods, by their plural names. */
export const ownerKinds = {
  deployments: "Deployment",
  statefulsets: "StatefulSet",
  daemonsets: "DaemonSet",
  jobs: "Job",
  replicasets: "ReplicaSet",
  replicationcontrollers: "ReplicationController",
} as const;

interface OwnerReference {
  readonly kind: string;
  readonly name: string;
  readonly controller?: boolean | undefined;
}

export interface OwnerMetadata {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
}

/**
 * Adds an object that owns pods to the objects that `workloadByName` searches. The pods of a
 * Deployment have names of its ReplicaSets, and the pods of a CronJob have names of its Jobs.
 */
export function rememberOwner(known: Map<string, WorkloadRef>, kind: string, metadata: OwnerMetadata): void {
  const { namespace = "", name = "", ownerReferences = [] } = metadata;
  const itself = { kind, namespace, name };
  const owner = ownerReferences.find(({ controller }) => controller === true);
  const workload = owner === undefined ? itself : { kind: owner.kind, namespace, name: owner.name };
  known.set(workloadKey(itself), workload);
}
