import { isControlledBy, type Pod, type StatefulSet, statefulSets, controllerRevisionHashLabel } from "@kintsugi/api";
import { isReady } from "../../committed-values.ts";
import { type PodsAtRest, sizedByReplicas, type WorkloadKind } from "../workload-kind.ts";

/** Containers mount the disk of their pod by this name. */
export const claimTemplateName = "data";

const claimTemplate = {
  metadata: { name: claimTemplateName },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};

export const statefulSetWorkload: WorkloadKind<StatefulSet> = {
  type: statefulSets,
  make: ({ name, replicas, parallel, claims }, template) => ({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name, namespace: "default" },
    spec: {
      replicas,
      serviceName: name,
      selector: { matchLabels: template.metadata?.labels ?? {} },
      template,
      ...(claims ? { volumeClaimTemplates: [claimTemplate] } : {}),
      ...(parallel ? { podManagementPolicy: "Parallel" as const } : {}),
    },
  }),
  wantedPods: ({ spec }) => spec?.replicas ?? 1,
  scaledTo: sizedByReplicas,
  rollOut: {
    patch: (template) => ({ spec: { template } }),
    templateOf: ({ spec }) => spec?.template,
    // A pod that cannot start blocks the next rollout until a user deletes it.
    mendsItself: false,
  },
  onLostNodes: "waits",
  unsettled,
  events: ["SuccessfulCreate", "SuccessfulDelete", "Rebalanced", "RebalanceStopped"],
};

function unsettled(set: StatefulSet, { present }: PodsAtRest): string[] {
  const { metadata, spec, status } = set;
  const { name = "" } = metadata;
  const own = present.filter((pod) => isControlledBy(pod, set));
  const ready = own.filter(isReady).length;
  const wanted = spec?.replicas ?? 1;
  const [replicas, readyReplicas] = [status?.replicas ?? 0, status?.readyReplicas ?? 0];
  const missing = missingIdentities(name, { wanted, present: new Set(own.map((pod) => pod.metadata.name)) });
  return [
    ...missing.map((identity) => `stateful set ${name} has no pod ${identity}`),
    ...own
      .filter((pod) => !isOfRevision(pod, status?.updateRevision))
      .map((pod) => `pod ${pod.metadata.name} is not of the revision ${status?.updateRevision}`),
    ...(replicas === own.length && readyReplicas === ready
      ? []
      : [`the status of stateful set ${name} counts ${replicas}, ${readyReplicas} pods of ${own.length}, ${ready}`]),
  ];
}

/** Maximum number of reported names, because `wanted` is any number of 31 bits. */
const reportedMax = 100;

function missingIdentities(
  name: string,
  { wanted, present }: { wanted: number; present: ReadonlySet<string | undefined> },
): string[] {
  const missing: string[] = [];
  for (let ordinal = 0; ordinal < wanted && missing.length < reportedMax; ordinal++) {
    const identity = `${name}-${ordinal}`;
    if (!present.has(identity)) missing.push(identity);
  }
  return missing;
}

function isOfRevision({ metadata }: Pod, revision: string | undefined): boolean {
  return metadata.labels?.[controllerRevisionHashLabel] === revision;
}
