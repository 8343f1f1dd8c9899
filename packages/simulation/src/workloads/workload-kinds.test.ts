import type { DaemonSet, Job, Pod, ReplicationController, StatefulSet } from "@kintsugi/api";
import { expect, test } from "vitest";
import { workloadKindNames } from "../scenario/scenario.ts";
import { aTemplate } from "./builders.ts";
import { daemonSetWorkload } from "./kinds/daemon-set.ts";
import { cronJobWorkload } from "./kinds/cron-job.ts";
import { jobWorkload } from "./kinds/job.ts";
import { replicationControllerWorkload } from "./kinds/replication-controller.ts";
import { statefulSetWorkload } from "./kinds/stateful-set.ts";
import { kindOf, kindOfResource } from "./workload-kinds.ts";

const onLost = { nodeName: "n1", containers: [] };
const around = { nodes: ["node-1"], lostNodes: new Set<string>() };

function aPodOf(owner: { kind: string; uid: string }, name: string, rest: Partial<Pod["metadata"]> = {}): Pod {
  const ownerReferences = [{ apiVersion: "v1", name: "web", controller: true, ...owner }];
  return {
    metadata: { name, namespace: "default", uid: name, ownerReferences, ...rest },
    status: { phase: "Running" },
  };
}

test("every kind creates an object of its own with the workload's name", () => {
  for (const kind of workloadKindNames) {
    const row = kindOf({ kind });
    const object = row.make({ name: "web", kind, replicas: 2 }, aTemplate("web"));
    expect([object.kind, object.metadata.name]).toEqual([kind, "web"]);
    expect(row.type.kind).toBe(kind);
  }
  expect(kindOfResource("batch/jobs")).toBe(jobWorkload);
  expect(kindOfResource("core/pods")).toBeUndefined();
});

test("a Job is settled when it has ended, counts all its completions, and has released its pods", () => {
  const made = jobWorkload.make({ name: "web", replicas: 2, completions: 3 }, aTemplate("web"));
  const job = (status: Job["status"], spec: Partial<Job["spec"]> = {}): Job => ({
    ...made,
    metadata: { ...made.metadata, uid: "job" },
    spec: { ...made.spec, template: aTemplate("web"), ...spec },
    ...(status ? { status } : {}),
  });
  const conditions = [{ type: "Complete", status: "True" as const }];
  const pods = (all: Pod[]) => ({ all, present: [], ...around });
  const owner = { kind: "Job", uid: "job" };
  const released = [aPodOf(owner, "a")];
  expect(jobWorkload.unsettled(job({ succeeded: 3, conditions }), pods(released))).toEqual([]);
  const short = job({ succeeded: 2, conditions });
  expect(jobWorkload.unsettled(short, pods(released))).toEqual(["job web ended with 2 of 3 completions"]);
  const held = [aPodOf(owner, "a", { finalizers: ["batch.kubernetes.io/job-tracking"] })];
  expect(jobWorkload.unsettled(job({ succeeded: 3, conditions }), pods(held))[0]).toContain("1 of its pods");
  expect(jobWorkload.unsettled(job({ succeeded: 1, active: 2 }), pods(released))).toHaveLength(1);
  expect(jobWorkload.unsettled(job(undefined, { parallelism: 0 }), pods([]))).toEqual([]);
  const leaving = { ...aPodOf(owner, "b", { deletionTimestamp: "2026-01-01T00:00:00Z" }), spec: onLost };
  const heldUp = { all: [leaving], present: [], nodes: ["n1"], lostNodes: new Set(["n1"]) };
  expect(jobWorkload.unsettled(job({ succeeded: 3 }), heldUp)).toEqual([]);
  expect(jobWorkload.unsettled(job({ succeeded: 2 }), heldUp)).toHaveLength(1);
  expect(jobWorkload.wantedPods(job({ succeeded: 2 }))).toBe(1);
  expect(jobWorkload.wantedPods(job({ succeeded: 3, conditions }))).toBe(0);
});

test("a CronJob creates Jobs of the workload's size, and is settled when no Job is running", () => {
  const made = cronJobWorkload.make(
    { name: "sum", replicas: 2, completions: 3, concurrency: "Forbid" },
    aTemplate("sum"),
  );
  expect(made.spec).toMatchObject({
    schedule: "* * * * *",
    concurrencyPolicy: "Forbid",
    jobTemplate: { spec: { parallelism: 2, completions: 3, template: { spec: { restartPolicy: "OnFailure" } } } },
  });
  expect(cronJobWorkload.suspended?.(true)).toEqual({ spec: { suspend: true } });
  const at = { all: [], present: [], ...around };
  expect(cronJobWorkload.unsettled(made, at)).toEqual([]);
  const active = [{ name: "sum-1" }];
  expect(cronJobWorkload.unsettled({ ...made, status: { active } }, at)).toEqual([
    "cron job sum reports 1 Jobs at work",
  ]);
});

test("a StatefulSet is settled when each identity has its pod, of the present revision", () => {
  const made = statefulSetWorkload.make({ name: "web", replicas: 2 }, aTemplate("web"));
  const status = { replicas: 2, updateRevision: "web-2" };
  const set: StatefulSet = { ...made, metadata: { ...made.metadata, uid: "set" }, status };
  const owner = { kind: "StatefulSet", uid: "set" };
  const of = (name: string, revision: string) =>
    aPodOf(owner, name, { labels: { "controller-revision-hash": revision } });
  const pods = (present: Pod[]) => ({ all: present, present, ...around });
  expect(statefulSetWorkload.unsettled(set, pods([of("web-0", "web-2"), of("web-1", "web-2")]))).toEqual([]);
  expect(statefulSetWorkload.unsettled(set, pods([of("web-0", "web-2"), of("web-2", "web-1")]))).toEqual([
    "stateful set web has no pod web-1",
    "pod web-2 is not of the revision web-2",
  ]);
});

test("a DaemonSet is settled when each node that is not lost has a pod, and the status counts these pods", () => {
  const made = daemonSetWorkload.make({ name: "agent", replicas: 1 }, aTemplate("agent"));
  const set = (counted: number, updated = counted): DaemonSet => ({
    ...made,
    metadata: { ...made.metadata, uid: "set", generation: 1 },
    status: {
      observedGeneration: 1,
      desiredNumberScheduled: counted,
      numberReady: 0,
      updatedNumberScheduled: updated,
      currentNumberScheduled: counted,
      numberMisscheduled: 0,
    },
  });
  const on = (nodeName: string, name = nodeName): Pod => ({
    ...aPodOf({ kind: "DaemonSet", uid: "set" }, name),
    spec: { nodeName, containers: [] },
  });
  const at = (present: Pod[], lost: string[] = [], remains: Pod[] = []) => ({
    all: [...present, ...remains],
    present,
    nodes: ["n1", "n2"],
    lostNodes: new Set(lost),
  });
  expect(daemonSetWorkload.unsettled(set(2), at([on("n1"), on("n2")]))).toEqual([]);
  expect(daemonSetWorkload.unsettled(set(2, 1), at([on("n1")], ["n2"]))).toEqual([]);
  expect(daemonSetWorkload.unsettled(set(2), at([on("n1"), on("n1", "b")]))).toEqual([
    "daemon set agent has no pod on n2",
    "daemon set agent has two pods on n1",
  ]);
  expect(daemonSetWorkload.unsettled(set(2, 1), at([on("n1"), on("n2")]))[0]).toContain("daemon set agent reports");
  expect(daemonSetWorkload.unsettled(set(1), at([on("n1")], ["n2"], [on("n2")]))[0]).toContain(
    "daemon set agent reports",
  );
  // A user has force-deleted the daemon on the lost node, whose taint keeps a new daemon away.
  expect(daemonSetWorkload.unsettled(set(1), at([on("n1")], ["n2"]))).toEqual([]);
});

test("a ReplicationController is settled when its status counts its active pods", () => {
  const made = replicationControllerWorkload.make({ name: "web", replicas: 2 }, aTemplate("web"));
  const controller: ReplicationController = {
    ...made,
    metadata: { ...made.metadata, uid: "rc" },
    status: { replicas: 1 },
  };
  const owner = { kind: "ReplicationController", uid: "rc" };
  const at = (all: Pod[]) => ({ all, present: all, ...around });
  expect(replicationControllerWorkload.unsettled(controller, at([aPodOf(owner, "a")]))).toEqual([]);
  expect(replicationControllerWorkload.unsettled(controller, at([aPodOf(owner, "a"), aPodOf(owner, "b")]))).toEqual([
    "the status of replication controller web counts 1,0 pods of 2,0",
  ]);
});
