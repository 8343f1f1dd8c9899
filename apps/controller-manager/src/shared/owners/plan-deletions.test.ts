import type { Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aPod } from "../../testing/test-cluster.ts";
import { planDeletions } from "./plan-deletions.ts";

const nowMs = 1_767_225_600_000;
const hour = 3_600_000;
const old = { createdMs: nowMs - hour, readySinceMs: nowMs - hour };
const cost = (value: string) => ({ annotations: { "controller.kubernetes.io/pod-deletion-cost": value } });
const unbound = (pod: Pod): Pod => ({ ...pod, spec: { containers: [] } });

/** The first pod of each row is deleted before the second. */
const cases: { name: string; goes: Pod; stays: Pod; related?: Pod[] }[] = [
  {
    name: "an unassigned pod before an assigned pod, whatever its cost",
    goes: unbound(aPod("a", { ...old, phase: "Pending", ready: false, ...cost("100") })),
    stays: aPod("b", { node: "n1", phase: "Pending", ready: false }),
  },
  {
    name: "a pending pod before a running pod",
    goes: aPod("a", { ...old, node: "n1", phase: "Pending", ready: false }),
    stays: aPod("b", { node: "n1", ready: false }),
  },
  {
    name: "an unknown pod between the two",
    goes: aPod("a", { ...old, node: "n1", phase: "Unknown", ready: false }),
    stays: aPod("b", { node: "n1", ready: false }),
  },
  {
    name: "a pod that is not ready before a ready pod",
    goes: aPod("a", { ...old, node: "n1", ready: false }),
    stays: aPod("b", { node: "n1" }),
  },
  {
    name: "a pod of a lower cost before a pod of a higher cost",
    goes: aPod("a", { ...old, node: "n1", ...cost("-5") }),
    stays: aPod("b", { node: "n1", ...cost("0") }),
  },
  {
    name: "a pod whose cost is not a number counts as costing nothing",
    goes: aPod("a", { ...old, node: "n1", ...cost("1e3") }),
    stays: aPod("b", { node: "n1", ...cost("1") }),
  },
  {
    name: "a pod with a neighbor on its node before the only pod on its node",
    goes: aPod("a", { ...old, node: "n1" }),
    stays: aPod("b", { node: "n2" }),
    related: [aPod("sibling", { node: "n1" })],
  },
  {
    name: "the pod that became ready later",
    goes: aPod("a", { node: "n1", createdMs: nowMs - hour, readySinceMs: nowMs - 1000 }),
    stays: aPod("b", { node: "n1", createdMs: nowMs - 1000, readySinceMs: nowMs - hour }),
  },
  {
    name: "of two pods ready for about as long, the pod with the smaller UID",
    goes: aPod("a", { node: "n1", createdMs: nowMs - hour, readySinceMs: nowMs - hour, uid: "1", restarts: 0 }),
    stays: aPod("b", { node: "n1", createdMs: nowMs - hour, readySinceMs: nowMs - hour + 1000, uid: "2", restarts: 9 }),
  },
  {
    name: "the pod with more restarts",
    goes: aPod("a", { ...old, node: "n1", restarts: 3, uid: "2" }),
    stays: aPod("b", { ...old, node: "n1", restarts: 1, uid: "1" }),
  },
  {
    name: "the younger of two that are not ready",
    goes: aPod("a", { node: "n1", ready: false, createdMs: nowMs - 1000, uid: "2" }),
    stays: aPod("b", { node: "n1", ready: false, createdMs: nowMs - hour, uid: "1" }),
  },
];

describe("pods are selected for deletion", () => {
  test.each(cases)("$name", ({ goes, stays, related = [] }) => {
    for (const pods of [
      [goes, stays],
      [stays, goes],
    ]) {
      const chosen = planDeletions({ pods, related: [...pods, ...related], count: 1 }, nowMs);
      expect(chosen.map((pod) => pod.metadata.name)).toEqual(["a"]);
    }
  });

  test("all of them if all must be deleted", () => {
    const pods = [aPod("a"), aPod("b")];
    expect(planDeletions({ pods, related: pods, count: 5 }, nowMs)).toEqual(pods);
  });
});
