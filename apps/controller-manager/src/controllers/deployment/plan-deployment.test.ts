import type { ReplicaSet } from "@kintsugi/api";
import { expect, test } from "vitest";
import { planDeployment } from "./plan-deployment.ts";
import { replicasOf } from "./rollout.ts";
import { aDeployment } from "./testing/rollout-world.ts";

const nowMs = 1_767_225_600_000;
const recreating = aDeployment(2, { strategy: { type: "Recreate" } }, "web:2");

/** The set of the previous template. */
function oldSet(replicas: number, status: ReplicaSet["status"]): ReplicaSet {
  const { selector, template } = aDeployment(2).spec ?? { selector: {} };
  const metadata = { name: "web-old", namespace: "default", uid: "old", labels: { app: "web" } };
  return { apiVersion: "apps/v1", kind: "ReplicaSet", metadata, spec: { replicas, selector, template }, status };
}

test.each([
  { name: "empties the old set", set: oldSet(2, { replicas: 2 }), hasPods: true, size: 0, made: undefined },
  {
    name: "waits until the old set counts no pods",
    set: oldSet(0, { replicas: 1 }),
    hasPods: false,
    size: undefined,
    made: undefined,
  },
  {
    name: "waits until the last old pod has ended",
    set: oldSet(0, { replicas: 0 }),
    hasPods: true,
    size: undefined,
    made: undefined,
  },
  { name: "then creates all new pods", set: oldSet(0, { replicas: 0 }), hasPods: false, size: undefined, made: 2 },
])("a deployment with the strategy Recreate $name", ({ set, hasPods, size, made }) => {
  const plan = planDeployment({ deployment: recreating, sets: [set], hasPods: () => hasPods }, nowMs);
  expect(plan.update.map(({ after }) => replicasOf(after))).toEqual(size === undefined ? [] : [size]);
  expect(plan.create && replicasOf(plan.create)).toBe(made);
});

test("a rollout does not count pods that it has deleted, even if their set still reports them as available", () => {
  const rollingUpdate = { maxSurge: 2, maxUnavailable: 1 };
  const deployment = aDeployment(7, { strategy: { type: "RollingUpdate", rollingUpdate } }, "web:2");
  const newSet = planDeployment({ deployment, sets: [], hasPods: () => false }, nowMs).create;
  if (newSet === undefined) throw new Error("a set was to be made");
  const grown = {
    ...newSet,
    metadata: { ...newSet.metadata, uid: "new" },
    spec: { selector: {}, ...newSet.spec, replicas: 6 },
    status: { replicas: 6, availableReplicas: 4 },
  };
  const sets = [oldSet(3, { replicas: 4, availableReplicas: 4 }), grown];
  const plan = planDeployment({ deployment, sets, hasPods: () => true }, nowMs);
  // Three old pods are left, four new pods are available, and six pods must be available.
  expect(plan.update.map(({ before, after }) => [replicasOf(before), replicasOf(after)])).toEqual([[3, 2]]);
});

test("a deployment that is being deleted only updates its counts", () => {
  const { metadata } = aDeployment(2);
  const deployment = {
    ...aDeployment(2, {}, "web:2"),
    metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
  };
  const plan = planDeployment({ deployment, sets: [oldSet(2, { replicas: 2 })], hasPods: () => true }, nowMs);
  expect(plan).toMatchObject({
    create: undefined,
    update: [],
    remove: [],
    status: { replicas: 2, updatedReplicas: 0 },
  });
});
