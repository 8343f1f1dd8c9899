import {
  controllerRevisionKind,
  cronJobKind,
  daemonSetKind,
  deploymentKind,
  jobKind,
  podDisruptionBudgetKind,
  podTemplateKind,
  replicaSetKind,
  replicationControllerKind,
  statefulSetKind,
} from "@kintsugi/api";
import { listedObject, containers, minutesAgo5, secondsAgo30, type TableRow } from "./table-row.ts";

/** Deployments, Jobs and other kinds that manage pods. */
export const workloadRows: readonly TableRow[] = [
  {
    name: "a deployment",
    kind: deploymentKind,
    object: listedObject({
      spec: { replicas: 3, selector: { matchLabels: { b: "2", a: "1" } }, template: { spec: { containers } } },
      status: { replicas: 4, readyReplicas: 2, updatedReplicas: 1, availableReplicas: 2 },
    }),
    cells: ["x", "2/3", 1, 2, "5m", "a,b", "i1,i2", "a=1,b=2"],
  },
  {
    name: "a replica set",
    kind: replicaSetKind,
    object: listedObject({
      spec: { replicas: 3, selector: { matchLabels: { b: "2", a: "1" } }, template: { spec: { containers } } },
      status: { replicas: 2, readyReplicas: 1 },
    }),
    cells: ["x", 3, 2, 1, "5m", "a,b", "i1,i2", "a=1,b=2"],
  },
  {
    name: "a replication controller",
    kind: replicationControllerKind,
    object: listedObject({
      spec: { replicas: 3, selector: { b: "2", a: "1" }, template: { spec: { containers } } },
      status: { replicas: 2, readyReplicas: 1 },
    }),
    cells: ["x", 3, 2, 1, "5m", "a,b", "i1,i2", "a=1,b=2"],
  },
  {
    name: "a pod template",
    kind: podTemplateKind,
    object: listedObject({ template: { metadata: { labels: { b: "2", a: "1" } }, spec: { containers } } }),
    cells: ["x", "a,b", "i1,i2", "a=1,b=2"],
  },
  {
    name: "a cron job",
    kind: cronJobKind,
    object: listedObject({
      spec: {
        schedule: "0 4 * * *",
        timeZone: "Europe/Zurich",
        suspend: true,
        jobTemplate: { spec: { template: { spec: { containers } } } },
      },
      status: { active: [{ name: "x-1" }, { name: "x-2" }], lastScheduleTime: secondsAgo30 },
    }),
    cells: ["x", "0 4 * * *", "Europe/Zurich", "True", 2, "30s", "5m", "a,b", "i1,i2", "<none>"],
  },
  {
    name: "a cron job that has never run",
    kind: cronJobKind,
    object: listedObject({ spec: { schedule: "@hourly", suspend: false, jobTemplate: {} } }),
    cells: ["x", "@hourly", "<none>", "False", 0, "<none>", "5m", "", "", "<none>"],
  },
  {
    name: "a job that runs",
    kind: jobKind,
    object: listedObject({
      spec: { completions: 4, selector: { matchLabels: { a: "1" } }, template: { spec: { containers } } },
      status: { startTime: minutesAgo5, succeeded: 1 },
    }),
    cells: ["x", "Running", "1/4", "5m", "5m", "a,b", "i1,i2", "a=1"],
  },
  {
    name: "a job that has ended",
    kind: jobKind,
    object: listedObject({
      spec: { parallelism: 2, template: {} },
      status: {
        startTime: minutesAgo5,
        completionTime: "2023-11-14T22:09:02Z",
        succeeded: 1,
        conditions: [
          { type: "SuccessCriteriaMet", status: "True" },
          { type: "Complete", status: "True" },
        ],
      },
    }),
    cells: ["x", "Complete", "1/1 of 2", "42s", "5m", "", "", "<none>"],
  },
  {
    name: "a job that waits",
    kind: jobKind,
    object: listedObject({
      spec: { template: {} },
      status: {
        conditions: [
          { type: "Suspended", status: "True" },
          { type: "Failed", status: "False" },
        ],
      },
    }),
    cells: ["x", "Suspended", "0/1", "", "5m", "", "", "<none>"],
  },
  {
    name: "a stateful set",
    kind: statefulSetKind,
    object: listedObject({
      spec: { replicas: 3, selector: { matchLabels: { a: "1" } }, template: { spec: { containers } } },
      status: { replicas: 2, readyReplicas: 1 },
    }),
    cells: ["x", "1/3", "5m", "a,b", "i1,i2"],
  },
  {
    name: "a revision",
    kind: controllerRevisionKind,
    object: listedObject(
      { data: {}, revision: 4 },
      { ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid: "u", controller: true }] },
    ),
    cells: ["x", "statefulset.apps/db", 4, "5m"],
  },
  {
    name: "a revision without a controller",
    kind: controllerRevisionKind,
    object: listedObject({ data: {}, revision: 4 }),
    cells: ["x", "<none>", 4, "5m"],
  },
  {
    name: "a daemon set",
    kind: daemonSetKind,
    object: listedObject({
      spec: {
        selector: { matchLabels: { b: "2", a: "1" } },
        template: { spec: { nodeSelector: { disk: "ssd", arch: "x" }, containers } },
      },
      status: {
        desiredNumberScheduled: 5,
        currentNumberScheduled: 4,
        numberReady: 3,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
      },
    }),
    cells: ["x", 5, 4, 3, 2, 1, "arch=x,disk=ssd", "5m", "a,b", "i1,i2", "a=1,b=2"],
  },
  {
    name: "a daemon set for every node, not yet seen by its controller",
    kind: daemonSetKind,
    object: listedObject({ spec: { selector: { matchLabels: { a: "1" } }, template: { spec: { containers } } } }),
    cells: ["x", 0, 0, 0, 0, 0, "<none>", "5m", "a,b", "i1,i2", "a=1"],
  },
  {
    name: "a selector with expressions",
    kind: replicaSetKind,
    object: listedObject({
      spec: {
        replicas: 0,
        selector: {
          matchLabels: { m: "1" },
          matchExpressions: [
            { key: "z", operator: "NotIn", values: ["b", "a"] },
            { key: "c", operator: "DoesNotExist" },
            { key: "d", operator: "Exists" },
            { key: "e", operator: "In", values: ["v"] },
          ],
        },
      },
    }),
    cells: ["x", 0, 0, 0, "5m", "", "", "!c,d,e in (v),m=1,z notin (a,b)"],
  },
  {
    name: "a disruption budget",
    kind: podDisruptionBudgetKind,
    object: listedObject({ spec: { minAvailable: 2 }, status: { disruptionsAllowed: 1 } }),
    cells: ["x", "2", "N/A", 1, "5m"],
  },
  {
    name: "a disruption budget in percent",
    kind: podDisruptionBudgetKind,
    object: listedObject({ spec: { maxUnavailable: "25%" } }),
    cells: ["x", "N/A", "25%", 0, "5m"],
  },
];
