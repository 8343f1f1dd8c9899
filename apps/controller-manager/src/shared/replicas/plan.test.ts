import { formatTimestamp, type Pod, type ReplicaSet, replicaSets } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aPod, aReplicaSet } from "../../testing/test-cluster.ts";
import { nextAvailabilityMs } from "../next-availability.ts";
import { planReplicas, planStatus, sortPods } from "./plan.ts";
import { podFromTemplate } from "./pod-template.ts";

const nowMs = 1_767_225_600_000;
const set = aReplicaSet("web", 3);
const pods = (count: number) => Array.from({ length: count }, (_, i) => aPod(`p${i}`, { owner: set, node: "n1" }));
const owned = (active: Pod[]) => ({ active, terminating: [], related: active });
const names = (list: readonly Pod[]) => list.map((pod) => pod.metadata.name);

describe("the plan for a replica set", () => {
  test.each([
    { wanted: 3, present: 0, create: 3, delete: 0 },
    { wanted: 3, present: 3, create: 0, delete: 0 },
    { wanted: 3, present: 5, create: 0, delete: 2 },
    { wanted: 0, present: 2, create: 0, delete: 2 },
    { wanted: 900, present: 0, create: 500, delete: 0 },
    { wanted: 0, present: 700, create: 0, delete: 500 },
  ])("with $present of $wanted pods creates $create and deletes $delete", ({ wanted, present, ...expected }) => {
    const plan = planReplicas(aReplicaSet("web", wanted), owned(pods(present)), nowMs);
    expect({ create: plan.create, delete: plan.delete.length }).toEqual(expected);
  });

  test("ignores pods that are terminating, have ended or failed", () => {
    const { active, terminating } = sortPods([
      aPod("a"),
      aPod("b", { deletedMs: nowMs }),
      aPod("c", { phase: "Failed" }),
      aPod("d", { phase: "Succeeded" }),
      aPod("e", { phase: "Failed", deletedMs: nowMs }),
    ]);
    expect([names(active), names(terminating)]).toEqual([["a"], ["b"]]);
  });
});

describe("the status of a replica set", () => {
  const old = nowMs - 60_000;
  const withMinReady: ReplicaSet = { ...set, spec: { ...(set.spec ?? { selector: {} }), minReadySeconds: 30 } };
  const active = [
    aPod("ready", { readySinceMs: old }),
    aPod("fresh", { readySinceMs: nowMs - 10_000 }),
    aPod("starting", { ready: false }),
    aPod("relabelled", { ready: false, labels: { track: "canary" } }),
  ];

  test("counts pods, labels, readiness and availability", () => {
    expect(planStatus({ set: withMinReady, active, terminating: [aPod("x")], outcome: undefined }, nowMs)).toEqual({
      replicas: 4,
      fullyLabeledReplicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
      terminatingReplicas: 1,
      observedGeneration: 1,
    });
  });

  test("states when the next pod becomes available, to the millisecond", () => {
    expect(nextAvailabilityMs(active, withMinReady.spec?.minReadySeconds, nowMs)).toBe(20_000);
    expect(nextAvailabilityMs(active, withMinReady.spec?.minReadySeconds, nowMs + 20_000)).toBeUndefined();
    expect(nextAvailabilityMs(active, set.spec?.minReadySeconds, nowMs)).toBeUndefined();
  });

  test("states why pods could not be created until they are created", () => {
    const failure = { reason: "FailedCreate" as const, message: "exceeded quota" };
    const failed = planStatus({ set, active: [], terminating: [], outcome: { failure } }, nowMs);
    const lastTransitionTime = formatTimestamp(nowMs);
    expect(failed.conditions).toEqual([{ type: "ReplicaFailure", status: "True", lastTransitionTime, ...failure }]);
    const failing = { ...set, status: failed };
    const later = { active: [], terminating: [], set: failing };
    expect(planStatus({ ...later, outcome: { failure } }, nowMs + 9000)).toEqual(failed);
    expect(planStatus({ ...later, outcome: undefined }, nowMs)).toEqual(failed);
    expect(planStatus({ ...later, outcome: { failure: undefined } }, nowMs).conditions).toBeUndefined();
  });
});

describe("a new pod", () => {
  test("is named and created as in upstream", () => {
    const name = "web-bcdfg";
    expect(podFromTemplate(set, { name, ownerType: replicaSets })).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name,
        generateName: "web-",
        namespace: "default",
        labels: { app: "web" },
        ownerReferences: [
          {
            apiVersion: "apps/v1",
            kind: "ReplicaSet",
            name: "web",
            uid: "uid-of-web",
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { containers: [{ name: "main", image: "busybox" }] },
    });
  });
});
