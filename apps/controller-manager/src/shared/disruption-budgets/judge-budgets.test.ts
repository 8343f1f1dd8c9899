import type { Pod, PodDisruptionBudget } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aPod, aReplicaSet } from "../../testing/test-cluster.ts";
import type { FindScale } from "./owner-scales.ts";
import { judgeBudgets } from "./judge-budgets.ts";

const set = aReplicaSet("web", 4);
const ready = (name: string) => aPod(name, { owner: set });
const down = (name: string) => aPod(name, { owner: set, ready: false });
const four = [ready("a"), ready("b"), ready("c"), ready("d")];
const budget = (spec: PodDisruptionBudget["spec"], namespace = "default"): PodDisruptionBudget => ({
  metadata: { name: "web", namespace },
  spec: { selector: { matchLabels: { app: "web" } }, ...spec },
});

const wantsFour: FindScale = () => ({ uid: "uid-of-web", replicas: 4 });
const bare = (name: string) => aPod(name);

const cases: { name: string; budgets: PodDisruptionBudget[]; pods: Pod[]; leaving?: string[]; allowed: boolean }[] = [
  { name: "no budget", budgets: [], pods: four, allowed: true },
  { name: "enough healthy pods remain", budgets: [budget({ minAvailable: 3 })], pods: four, allowed: true },
  { name: "exactly enough healthy pods exist", budgets: [budget({ minAvailable: 4 })], pods: four, allowed: false },
  {
    name: "too few healthy pods exist already",
    budgets: [budget({ minAvailable: 3 })],
    pods: [ready("a"), down("b")],
    allowed: false,
  },
  { name: "half of four", budgets: [budget({ minAvailable: "50%" })], pods: four, allowed: true },
  { name: "76 % of four are four", budgets: [budget({ minAvailable: "76%" })], pods: four, allowed: false },
  {
    name: "one pod may be unavailable and all pods are available",
    budgets: [budget({ maxUnavailable: 1 })],
    pods: four,
    allowed: true,
  },
  {
    name: "one may be unavailable and one is",
    budgets: [budget({ maxUnavailable: 1 })],
    pods: [ready("a"), ready("b"), ready("c"), down("d")],
    allowed: false,
  },
  {
    name: "all unavailable pods count against the desired replicas",
    budgets: [budget({ maxUnavailable: 1 })],
    pods: [ready("a"), ready("b"), ready("c")],
    allowed: false,
  },
  { name: "a quarter of four may be missing", budgets: [budget({ maxUnavailable: "25%" })], pods: four, allowed: true },
  { name: "another namespace's budget", budgets: [budget({ minAvailable: 4 }, "other")], pods: four, allowed: true },
  {
    name: "a budget for other pods",
    budgets: [budget({ minAvailable: 4, selector: { matchLabels: { app: "db" } } })],
    pods: four,
    allowed: true,
  },
  {
    name: "one of two budgets forbids it",
    budgets: [budget({ minAvailable: 1 }), budget({ minAvailable: 4 })],
    pods: four,
    allowed: false,
  },
  {
    name: "a pod that is about to be evicted is not healthy",
    budgets: [budget({ minAvailable: 3 })],
    pods: four,
    leaving: ["uid-of-b"],
    allowed: false,
  },
  {
    name: "a budget by desired replicas does not count pods without a controller",
    budgets: [budget({ maxUnavailable: 1 })],
    pods: [ready("a"), ready("b"), ready("c"), bare("d"), bare("e")],
    allowed: true,
  },
  {
    name: "half of the pods without a controller is unknown",
    budgets: [budget({ minAvailable: "50%" })],
    pods: [bare("a"), bare("b")],
    allowed: false,
  },
  {
    name: "a budget without a limit requires one healthy pod",
    budgets: [budget({})],
    pods: [ready("a")],
    allowed: false,
  },
];

describe("the eviction of a Ready pod", () => {
  test.each(cases)("$name: $allowed", ({ budgets, pods, leaving = [], allowed }) => {
    const view = { pods, findScale: wantsFour, leaving: new Set(leaving) };
    expect(judgeBudgets(ready("a"), budgets, view).allowed).toBe(allowed);
  });
});

test.each([
  [{ maxUnavailable: 1 }, four.slice(0, 2), "requires 3 healthy pods and has 2"],
  [{ maxUnavailable: 1 }, [bare("a")], "allows nothing: no controller requests any of its pods"],
  [{ maxUnavailable: 1 }, four, 'allows nothing: found no controllers for pod "a"', () => undefined],
] as const)(
  "the budget states why a pod must not be evicted: %j",
  (spec, pods, because, findScale: FindScale = wantsFour) => {
    const view = { pods, findScale, leaving: new Set<string>() };
    expect(judgeBudgets(ready("a"), [budget(spec)], view)).toEqual({
      allowed: false,
      because: `PodDisruptionBudget web ${because}`,
    });
  },
);

test("the eviction of an unready pod is always allowed", () => {
  const view = { pods: [down("a")], findScale: wantsFour, leaving: new Set<string>() };
  expect(judgeBudgets(down("a"), [budget({ minAvailable: 100 })], view)).toEqual({ allowed: true });
});
