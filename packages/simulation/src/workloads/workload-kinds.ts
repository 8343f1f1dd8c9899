import type { ApiObject } from "@kintsugi/api";
import { storeResource } from "../committed-values.ts";
import type { ScenarioWorkload, WorkloadKindName } from "../scenario/scenario.ts";
import { cronJobWorkload } from "./kinds/cron-job.ts";
import { daemonSetWorkload } from "./kinds/daemon-set.ts";
import { deploymentWorkload } from "./kinds/deployment.ts";
import { jobWorkload } from "./kinds/job.ts";
import { replicaSetWorkload } from "./kinds/replica-set.ts";
import { replicationControllerWorkload } from "./kinds/replication-controller.ts";
import { statefulSetWorkload } from "./kinds/stateful-set.ts";
import type { WorkloadKind } from "./workload-kind.ts";

/** Every kind of workload that a scenario can have. */
export const workloadKinds: Readonly<Record<WorkloadKindName, WorkloadKind>> = {
  ReplicaSet: replicaSetWorkload,
  Deployment: deploymentWorkload,
  StatefulSet: statefulSetWorkload,
  Job: jobWorkload,
  DaemonSet: daemonSetWorkload,
  ReplicationController: replicationControllerWorkload,
  CronJob: cronJobWorkload,
};

/** The kind of a scenario's workload. */
export function kindOf({ kind = "ReplicaSet" }: Pick<ScenarioWorkload, "kind">): WorkloadKind {
  return workloadKinds[kind];
}

/** The kind with this resource name in the store: "apps/deployments". */
export function kindOfResource(resource: string): WorkloadKind<ApiObject> | undefined {
  return kindsByResource.get(resource);
}

const kindsByResource = new Map(Object.values(workloadKinds).map((kind) => [storeResource(kind.type), kind]));
