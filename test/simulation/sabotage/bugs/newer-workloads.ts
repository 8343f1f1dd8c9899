import type { PlantedBug } from "../planted-bug.ts";

const controllers = "apps/controller-manager/src/controllers";

/**
 * Bugs of DaemonSets, ReplicationControllers, CronJobs and autoscalers, and of the fences of nodes
 * and pods.
 */
export const newerWorkloadBugs: readonly PlantedBug[] = [
  {
    name: "a DaemonSet replaces a pod while the old one still ends",
    file: `${controllers}/daemon-set/judge-node.ts`,
    find: "if (run && pods.length === 0) return",
    replace: "if (run && pods.every(({ metadata }) => metadata.deletionTimestamp !== undefined)) return",
    caughtBy: "S17",
    life: "a DaemonSet is rolled out while containers end slowly",
    seed: 1,
  },
  {
    name: "a DaemonSet's status is written only when its number of pods changes",
    file: `${controllers}/daemon-set/reconciler.ts`,
    find: "if (sameJson(status, set.status)) return;",
    replace: "void sameJson;\n    if (status.currentNumberScheduled === set.status?.currentNumberScheduled) return;",
    caughtBy: "L2 converges",
    life: "a DaemonSet is rolled out while containers end slowly",
    seed: 1,
  },
  {
    name: "a ReplicationController's status leaves out its ready pods",
    file: `${controllers}/replication/replication-controller-as-set.ts`,
    find: "delete status.terminatingReplicas;",
    replace: "delete status.terminatingReplicas;\n    delete status.readyReplicas;",
    caughtBy: "L2 converges",
    life: "a ReplicationController is scaled while its controller dies",
    seed: 1,
  },
  {
    name: "a CronJob's controller forgets the times that it has missed",
    file: "packages/rules/src/cron-schedule.ts",
    find: "const startMs = lastMs ?? instantOf(metadata.creationTimestamp) ?? nowMs;",
    replace: "void lastMs;\n  const startMs = nowMs - 1000;",
    caughtBy: "L16",
    life: "a CronJob's controller is away when a Job is due",
    seed: 1,
  },
  {
    name: "a CronJob gives its Jobs names by chance",
    file: "packages/rules/src/cron-schedule.ts",
    find: "-${Math.floor(startMs / minuteMs)}`;",
    replace: "-${Math.floor(startMs / minuteMs)}-${Math.random().toString(36).slice(2, 7)}`;",
    caughtBy: "S39",
    life: "a CronJob's controller dies at its writes",
    seed: 1,
  },
  {
    name: "an autoscaler passes over its largest size",
    file: `${controllers}/horizontal-pod-autoscaler/bounds/bound-replicas.ts`,
    find: "const fastest = Math.max(2 * currentReplicas, 4);\n  const most = Math.min(maxReplicas, fastest);",
    replace: "const fastest = Math.max(2 * currentReplicas, 4);\n  const most = fastest;",
    caughtBy: "S40",
    life: "an autoscaled Deployment has a load that comes and goes",
    seed: 1,
  },
  {
    name: "an autoscaler follows each dip of the load at once",
    file: `${controllers}/horizontal-pod-autoscaler/bounds/bound-replicas.ts`,
    find: "const replicas = Math.max(recommended, ...recent.map((each) => each.replicas));",
    replace: "void recent;\n  const replicas = recommended;",
    caughtBy: "S42",
    life: "an autoscaled Deployment has a load that comes and goes",
    seed: 2,
  },
  {
    name: "the pod collector does not believe that a node is out of service",
    file: `${controllers}/pod-gc/plan.ts`,
    find: "if (isGoing && isOutOfService(input.nodes.get(nodeName)))",
    replace: "if (isGoing && isOutOfService(input.nodes.get(nodeName)) && isGoing === undefined)",
    caughtBy: "L2 converges",
    life: "a StatefulSet loses a node that is vouched for",
    seed: 1,
  },
  {
    name: "a fenced pod is stopped only when its replacement may run",
    file: "apps/kubelet/src/pods/plan/plan-self-fence.ts",
    find: "const wantedMs = Math.min(gracePeriodMs + renewIntervalMs, endAfterMs - endingMs);",
    replace: "const wantedMs = endAfterMs + 4 * renewIntervalMs + endingMs;",
    caughtBy: "S41",
    life: "a node of fenced pods is cut off",
    seed: 1,
  },
];
