import { isControlledBy, isPodActive, type ReplicationController, replicationControllers } from "@kintsugi/api";
import { isReady } from "../../committed-values.ts";
import { type PodsAtRest, sizedByReplicas, type WorkloadKind } from "../workload-kind.ts";

export const replicationControllerWorkload: WorkloadKind<ReplicationController> = {
  type: replicationControllers,
  make: ({ name, replicas }, template) => ({
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata: { name, namespace: "default" },
    spec: { replicas, selector: template.metadata?.labels ?? {}, template },
  }),
  wantedPods: ({ spec }) => spec?.replicas ?? 1,
  scaledTo: sizedByReplicas,
  unsettled,
  events: ["Rebalanced", "RebalanceStopped"],
};

function unsettled(controller: ReplicationController, { all }: PodsAtRest): string[] {
  const active = all.filter((pod) => isControlledBy(pod, controller) && isPodActive(pod));
  const counts = [active.length, active.filter(isReady).length].join();
  const { replicas = 0, readyReplicas = 0 } = controller.status ?? {};
  const reported = [replicas, readyReplicas].join();
  if (reported === counts) return [];
  const { name } = controller.metadata;
  return [`the status of replication controller ${name} counts ${reported} pods of ${counts}`];
}
