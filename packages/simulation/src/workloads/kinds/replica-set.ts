import { isControlledBy, isPodActive, isPodTerminating, type Pod, type ReplicaSet, replicaSets } from "@kintsugi/api";
import { isReady } from "../../committed-values.ts";
import { sizedByReplicas, type WorkloadKind } from "../workload-kind.ts";

export const replicaSetWorkload: WorkloadKind<ReplicaSet> = {
  type: replicaSets,
  make: ({ name, replicas }, template) => ({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, namespace: "default" },
    spec: { replicas, selector: { matchLabels: template.metadata?.labels ?? {} }, template },
  }),
  wantedPods: ({ spec }) => spec?.replicas ?? 1,
  scaledTo: sizedByReplicas,
  unsettled: (set, { all }) => miscounted(set, all),
  events: ["Rebalanced", "RebalanceStopped"],
};

/** The retry interval of a failed status write grows, as in upstream. */
function miscounted(set: ReplicaSet, pods: readonly Pod[]): string[] {
  const own = pods.filter((pod) => isControlledBy(pod, set));
  const active = own.filter(isPodActive);
  const counts = [active.length, active.filter(isReady).length, own.filter(isPodTerminating).length];
  const { replicas = 0, readyReplicas = 0, terminatingReplicas = 0 } = set.status ?? {};
  const reported = [replicas, readyReplicas, terminatingReplicas];
  if (reported.join() === counts.join()) return [];
  return [`the status of replica set ${set.metadata.name} counts ${reported.join(", ")} pods of ${counts.join(", ")}`];
}
