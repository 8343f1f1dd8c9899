import { type OwnerReference, pods } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { foregroundFinalizer, type GraphObject, orphanFinalizer, OwnerGraph } from "./owner-graph.ts";
import { type CollectionPlan, type OwnerState, planDeleting, planOwned } from "./plan.ts";

const owner = (uid: string, blockOwnerDeletion = true): OwnerReference => ({
  apiVersion: "v1",
  kind: "Pod",
  name: uid,
  uid,
  blockOwnerDeletion,
});
const object = (uid: string, traits: Partial<GraphObject> = {}): GraphObject => ({
  type: pods,
  namespace: "default",
  name: uid,
  uid,
  resourceVersion: "1",
  owners: [],
  finalizers: [],
  isDeleting: false,
  ...traits,
});
const deletion = (propagation: "Background" | "Foreground" | "Orphan", unblock = false): CollectionPlan => ({
  type: "delete",
  propagation,
  unblock,
});
const waitingDependent = object("w", { isDeleting: true, finalizers: [foregroundFinalizer], owners: [owner("x")] });

describe("an object with owners", () => {
  const cases: {
    name: string;
    states: Record<string, OwnerState>;
    finalizers?: string[];
    dependents?: GraphObject[];
    expected: CollectionPlan;
  }[] = [
    { name: "remains while its owner exists", states: { a: "present" }, expected: { type: "nothing" } },
    {
      name: "is deleted when its only owner no longer exists",
      states: { a: "absent" },
      expected: deletion("Background"),
    },
    {
      name: "is deleted when its last owner no longer exists",
      states: { a: "absent", b: "absent" },
      expected: deletion("Background"),
    },
    {
      name: "remains while one of its owners exists, and drops the reference to the other",
      states: { a: "absent", b: "present" },
      expected: { type: "drop-owners", owners: [owner("b")] },
    },
    {
      name: "drops the reference to an owner that waits for it when it has another owner",
      states: { a: "waiting", b: "present" },
      expected: { type: "drop-owners", owners: [owner("b")] },
    },
    { name: "is deleted when its owner waits for it", states: { a: "waiting" }, expected: deletion("Background") },
    {
      name: "is deleted in the foreground when it has dependents itself",
      states: { a: "waiting" },
      dependents: [object("d", { owners: [owner("x")] })],
      expected: deletion("Foreground"),
    },
    {
      name: "is unblocked when a dependent waits as well, because the owners may form a cycle",
      states: { a: "waiting" },
      dependents: [waitingDependent],
      expected: deletion("Foreground", true),
    },
    {
      name: "keeps the deletion policy of its own dependents",
      states: { a: "absent" },
      finalizers: [orphanFinalizer],
      expected: deletion("Orphan"),
    },
  ];
  test.each(cases)("$name", ({ states, finalizers = [], dependents = [], expected }) => {
    const owned = object("x", { owners: Object.keys(states).map((uid) => owner(uid)), finalizers });
    const stateOf = ({ uid }: OwnerReference) => states[uid] ?? "present";
    expect(planOwned({ object: owned, dependents, stateOf })).toEqual(expected);
  });
});

describe("an object that is being deleted", () => {
  const foreground = object("x", { isDeleting: true, finalizers: [foregroundFinalizer] });
  const orphaning = object("x", { isDeleting: true, finalizers: [orphanFinalizer] });
  const dependent = object("d", { owners: [owner("x")] });
  const cases: { name: string; item: GraphObject; dependents: GraphObject[]; expected: CollectionPlan }[] = [
    {
      name: "without a finalizer needs nothing",
      item: object("x", { isDeleting: true }),
      dependents: [dependent],
      expected: { type: "nothing" },
    },
    {
      name: "in the foreground waits until its dependents are deleted",
      item: foreground,
      dependents: [dependent],
      expected: { type: "delete-dependents", dependents: [dependent] },
    },
    {
      name: "waits for dependents that wait themselves",
      item: foreground,
      dependents: [waitingDependent],
      expected: { type: "nothing" },
    },
    {
      name: "does not wait for dependents that do not block",
      item: foreground,
      dependents: [object("d", { owners: [owner("x", false)] })],
      expected: { type: "finish", finalizer: foregroundFinalizer },
    },
    {
      name: "is removed when no dependent is left",
      item: foreground,
      dependents: [],
      expected: { type: "finish", finalizer: foregroundFinalizer },
    },
    {
      name: "orphans its dependents on request",
      item: orphaning,
      dependents: [dependent],
      expected: { type: "release-dependents", dependents: [dependent] },
    },
    {
      name: "is removed when all dependents are released",
      item: orphaning,
      dependents: [],
      expected: { type: "finish", finalizer: orphanFinalizer },
    },
  ];
  test.each(cases)("$name", ({ item, dependents, expected }) => {
    expect(planDeleting(item, dependents)).toEqual(expected);
  });
});

describe("the graph", () => {
  test("tracks dependents of owners that do not exist, and drops references that no longer exist", () => {
    const graph = new OwnerGraph();
    graph.put(object("d", { owners: [owner("a"), owner("b")] }));
    expect(graph.dependentsOf("a").map(({ uid }) => uid)).toEqual(["d"]);
    graph.put(object("d", { owners: [owner("b")] }));
    expect([graph.dependentsOf("a"), graph.dependentsOf("b").length]).toEqual([[], 1]);
    graph.remove("d");
    expect(graph.dependentsOf("b")).toEqual([]);
  });
});
