import type { Job, Pod, StatefulSet } from "@kintsugi/api";
import { expect, test } from "vitest";
import { workloadKindNames } from "../scenario/scenario.ts";
import { aTemplate } from "./builders.ts";
import { jobWorkload } from "./kinds/job.ts";
import { statefulSetWorkload } from "./kinds/stateful-set.ts";
import { kindOf, kindOfResource } from "./workload-kinds.ts";

const around = { nodes: ["node-1"], lostNodes: new Set<string>() };

function aPodOf(owner: { kind: string; uid: string }, name: string, rest: Partial<Pod["metadata"]> = {}): Pod {
  const ownerReferences = [{ apiVersion: "v1", name: "web", controller: true, ...owner }];
  return {
    metadata: { name, namespace: "default", uid: name, ownerReferences, ...rest },
    status: { phase: "Running" },
  };
}

test("every kind makes an object of its own, of the workload's name", () => {
  for (const kind of workloadKindNames) {
    const row = kindOf({ kind });
    const object = row.make({ name: "web", kind, replicas: 2 }, aTemplate("web"));
    expect([object.kind, object.metadata.name]).toEqual([kind, "web"]);
    expect(row.type.kind).toBe(kind);
  }
  expect(kindOfResource("batch/jobs")).toBe(jobWorkload);
  expect(kindOfResource("core/pods")).toBeUndefined();
});

test("a Job is settled when it has ended, counts all its completions, and has let go of its pods", () => {
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
  expect(jobWorkload.wantedPods(job({ succeeded: 2 }))).toBe(1);
  expect(jobWorkload.wantedPods(job({ succeeded: 3, conditions }))).toBe(0);
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
