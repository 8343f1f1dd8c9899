import { formatTimestamp, type Pod, type PodDisruptionBudget } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aPod, aReplicaSet } from "../../testing/test-cluster.ts";
import { planBudget } from "./plan.ts";

const nowMs = 1_767_225_600_000;
const set = aReplicaSet("web", 4);
const createdMs = nowMs - 600_000;
const ready = (name: string) => aPod(name, { owner: set, createdMs });
const down = (name: string) => aPod(name, { owner: set, createdMs, ready: false });
const going = (name: string) => aPod(name, { owner: set, createdMs, deletedMs: nowMs });
const four = [ready("a"), ready("b"), ready("c"), ready("d")];
const budget = (spec: PodDisruptionBudget["spec"], status?: PodDisruptionBudget["status"]): PodDisruptionBudget => ({
  metadata: { name: "web", namespace: "default", generation: 3 },
  spec: { selector: { matchLabels: { app: "web" } }, ...spec },
  ...(status ? { status } : {}),
});
const plan = (of: PodDisruptionBudget, pods: readonly Pod[]) =>
  planBudget(of, { pods, findScale: () => ({ uid: "uid-of-web", replicas: 4 }), nowMs });

const cases: {
  name: string;
  spec: PodDisruptionBudget["spec"];
  pods: Pod[];
  told: [number, number, number, number];
}[] = [
  { name: "three of four are required", spec: { minAvailable: 3 }, pods: four, told: [1, 4, 3, 4] },
  { name: "all are required", spec: { minAvailable: 4 }, pods: four, told: [0, 4, 4, 4] },
  { name: "more pods are required than exist", spec: { minAvailable: 9 }, pods: four, told: [0, 4, 9, 4] },
  { name: "half of them, rounded up", spec: { minAvailable: "60%" }, pods: four, told: [1, 4, 3, 4] },
  { name: "one may be unavailable", spec: { maxUnavailable: 1 }, pods: four, told: [1, 4, 3, 4] },
  {
    name: "one may be unavailable, and is",
    spec: { maxUnavailable: 1 },
    pods: [...four.slice(1), down("a")],
    told: [0, 3, 3, 4],
  },
  {
    name: "a terminating pod is not healthy",
    spec: { maxUnavailable: 2 },
    pods: [...four.slice(1), going("a")],
    told: [1, 3, 2, 4],
  },
  {
    name: "an ended pod does not count",
    spec: { minAvailable: 1 },
    pods: [ready("a"), aPod("e", { phase: "Succeeded" })],
    told: [0, 1, 1, 1],
  },
  {
    name: "another workload's pods do not count",
    spec: { minAvailable: 1 },
    pods: [...four, aPod("x", { labels: { app: "db" } })],
    told: [3, 4, 1, 4],
  },
  {
    name: "a number of pods also counts pods without a controller",
    spec: { minAvailable: 4 },
    pods: [...four, aPod("e")],
    told: [1, 5, 4, 5],
  },
  {
    name: "a percentage refers only to pods with a controller",
    spec: { minAvailable: "50%" },
    pods: [...four, aPod("e"), aPod("f")],
    told: [4, 6, 2, 4],
  },
  {
    name: "maxUnavailable also refers only to pods with a controller",
    spec: { maxUnavailable: 1 },
    pods: [...four, aPod("e")],
    told: [2, 5, 3, 4],
  },
  {
    name: "if the controllers desire no pod, no disruption is allowed",
    spec: { maxUnavailable: 1 },
    pods: [aPod("e"), aPod("f")],
    told: [0, 2, 0, 0],
  },
  { name: "no pod exists", spec: { minAvailable: 0 }, pods: [], told: [0, 0, 0, 0] },
];

describe("a budget's status", () => {
  test.each(cases)("$name", ({ spec, pods, told }) => {
    const { status } = plan(budget(spec), pods);
    const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = status;
    expect([disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods]).toEqual(told);
    const [allowed] = told;
    expect(status.observedGeneration).toBe(3);
    expect(status.conditions).toMatchObject([
      { type: "DisruptionAllowed", status: allowed > 0 ? "True" : "False", observedGeneration: 3 },
    ]);
  });

  test("does not change when its input does not change", () => {
    const { status } = plan(budget({ minAvailable: 3 }), four);
    expect(plan(budget({ minAvailable: 3 }, status), four).status).toEqual(status);
  });
});

test("a pod with the name of a built-in object property counts", () => {
  const pods = [...four.slice(1), ready("constructor")];
  expect(plan(budget({ minAvailable: 3 }), pods).status).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 4 });
});

test("pods without a controller are named if they do not count", () => {
  const pods = [...four, aPod("e"), aPod("f")];
  expect(plan(budget({ maxUnavailable: 1 }), pods).unmanaged).toEqual(["e", "f"]);
  expect(plan(budget({ minAvailable: 1 }), pods).unmanaged).toEqual([]);
});

test("while a pod's controller is unknown no disruption is allowed, and the other counts do not change", () => {
  const known = plan(budget({ maxUnavailable: 2 }), four).status;
  const before = { ...known, disruptedPods: { a: formatTimestamp(nowMs) } };
  const lost = planBudget(budget({ maxUnavailable: 2 }, before), {
    pods: four,
    findScale: () => undefined,
    nowMs,
  });
  const because = 'found no controllers for pod "a"';
  expect(lost.failure).toBe(because);
  expect(lost.status).toMatchObject({
    ...before,
    disruptionsAllowed: 0,
    conditions: [{ type: "DisruptionAllowed", status: "False", reason: "SyncFailed", message: because }],
  });
  expect(plan(budget({ maxUnavailable: 2 }, lost.status), four).status).toMatchObject({
    disruptionsAllowed: 1,
    conditions: [{ status: "True", reason: "SufficientPods", message: "" }],
  });
});

describe("a pod whose eviction was allowed", () => {
  const spent = (agoMs: number) =>
    budget({ minAvailable: 2 }, { disruptedPods: { a: formatTimestamp(nowMs - agoMs) } });

  test("does not count, although it is still observed as running", () => {
    const { status, recheckAfterMs } = plan(spent(1000), four);
    expect(status).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 3 });
    expect(status.disruptedPods).toEqual({ a: formatTimestamp(nowMs - 1000) });
    expect(recheckAfterMs).toBe(119_001);
  });

  test("is dropped when it is terminating or removed", () => {
    expect(plan(spent(1000), [going("a"), ...four.slice(1)]).status.disruptedPods).toBeUndefined();
    expect(plan(spent(1000), four.slice(1)).status).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 3 });
  });

  test("is distinguished from its successor of the same name, which counts immediately", () => {
    const successor = aPod("a", { owner: set, createdMs: nowMs - 1000, uid: "another" });
    const { status, recheckAfterMs } = plan(spent(1000), [successor, ...four.slice(1)]);
    expect(status).toMatchObject({ disruptionsAllowed: 2, currentHealthy: 4 });
    expect(status.disruptedPods).toBeUndefined();
    expect(recheckAfterMs).toBeUndefined();
  });

  test("counts again if it is not removed within two minutes", () => {
    const { status, notDeleted, recheckAfterMs } = plan(spent(121_000), four);
    expect(status).toMatchObject({ disruptionsAllowed: 2, currentHealthy: 4 });
    expect(status.disruptedPods).toBeUndefined();
    expect(notDeleted.map(({ metadata }) => metadata.name)).toEqual(["a"]);
    expect(recheckAfterMs).toBeUndefined();
  });
});
