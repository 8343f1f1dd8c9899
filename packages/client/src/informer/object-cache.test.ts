import type { Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { ObjectCache } from "./object-cache.ts";

const indexes = { node: (pod: Pod) => (pod.spec?.nodeName === undefined ? [] : [pod.spec.nodeName]) };

describe("the cache of a resource", () => {
  test("derives additions and modifications itself", () => {
    const cache = new ObjectCache<Pod>();
    const [first, second] = [aPod("web", 1), aPod("web", 2)];
    expect(cache.put(first)).toEqual([{ type: "added", object: first }]);
    expect(cache.put(second)).toEqual([{ type: "modified", object: second, before: first }]);
  });

  test("never returns to an older revision", () => {
    const cache = new ObjectCache<Pod>();
    const newer = aPod("web", 5);
    cache.put(newer);
    expect(cache.put(aPod("web", 4))).toEqual([]);
    expect(cache.put(aPod("web", 5))).toEqual([]);
    expect(cache.delete(aPod("web", 4))).toEqual([]);
    expect(cache.find({ namespace: "default", name: "web" })).toBe(newer);
  });

  test("rejects a reader's change of an object in place as a programming error", () => {
    const moved = aPod("web", 1, { node: "n1" });
    const cache = new ObjectCache<Pod>({ indexes });
    cache.put(moved);
    (moved.spec as { nodeName: string }).nodeName = "n2";
    const broken = 'default/web was changed in the copy: no index has it at "n2"';
    expect(() => cache.put(aPod("web", 2, { node: "n1" }))).toThrow(broken);
    expect(() => cache.replaceAll([])).toThrow(broken);
    const renamed = aPod("db", 1);
    const unindexed = new ObjectCache<Pod>();
    unindexed.put(renamed);
    renamed.metadata.name = "again";
    expect(() => unindexed.replaceAll([])).toThrow("default/again is removed from the copy, which does not contain it");
  });

  test("stores no managed fields, and only the projected part of an object", () => {
    const whole = { ...aPod("web", 1), status: { phase: "Running" as const, podIP: "10.0.0.1" } };
    const managed: Pod = { ...whole, metadata: { ...whole.metadata, managedFields: [{ manager: "kubelet" }] } };
    const plain = new ObjectCache<Pod>();
    expect(plain.put(managed)).toEqual([{ type: "added", object: whole }]);
    expect(managed.metadata.managedFields).toHaveLength(1);
    const project = (pod: Pod): Pod => ({ ...pod, status: { phase: pod.status?.phase } });
    const phases = new ObjectCache<Pod>({ project, keeps: ({ status }) => status?.phase === "Running" });
    const expected = { ...whole, status: { phase: "Running" } };
    expect(phases.replaceAll([managed])).toEqual([{ type: "added", object: expected }]);
    expect(phases.find({ namespace: "default", name: "web" })).toEqual(expected);
    expect(phases.delete({ ...managed, metadata: { ...managed.metadata, resourceVersion: "2" } })).toMatchObject([
      { type: "deleted", object: { status: { phase: "Running" }, metadata: { resourceVersion: "2" } } },
    ]);
  });

  test("treats another UID as another object", () => {
    const cache = new ObjectCache<Pod>();
    const [old, recreated] = [aPod("web", 1, { uid: "a" }), aPod("web", 7, { uid: "b" })];
    cache.put(old);
    expect(cache.put(recreated)).toEqual([
      { type: "deleted", object: old },
      { type: "added", object: recreated },
    ]);
  });

  test("reports a deletion with the final state", () => {
    const cache = new ObjectCache<Pod>();
    cache.put(aPod("web", 1));
    const final = aPod("web", 2);
    expect(cache.delete(final)).toEqual([{ type: "deleted", object: final }]);
    expect(cache.list()).toEqual([]);
  });

  test("equals the last list, whatever the revisions are", () => {
    const cache = new ObjectCache<Pod>({ indexes });
    const [gone, kept, changed] = [aPod("gone", 1), aPod("kept", 900), aPod("changed", 900, { node: "n1" })];
    for (const pod of [gone, kept, changed]) cache.put(pod);
    const [restored, fresh] = [aPod("changed", 3, { node: "n2" }), aPod("fresh", 4)];
    expect(cache.replaceAll([kept, restored, fresh])).toEqual([
      { type: "deleted", object: gone },
      { type: "modified", object: restored, before: changed },
      { type: "added", object: fresh },
    ]);
    expect(cache.byIndex("node", "n1")).toEqual([]);
    expect(cache.byIndex("node", "n2")).toEqual([restored]);
  });

  test("stores only selected objects: a newly selected object is an addition, and an unselected object is a deletion", () => {
    const cache = new ObjectCache<Pod>({ indexes, keeps: ({ spec }) => spec?.nodeName !== undefined });
    const [unbound, bound] = [aPod("web", 1), aPod("web", 2, { node: "n1" })];
    expect(cache.put(unbound)).toEqual([]);
    expect(cache.list()).toEqual([]);
    expect(cache.put(bound)).toEqual([{ type: "added", object: bound }]);
    expect(cache.put(unbound)).toEqual([]);
    const recreated = aPod("web", 3, { uid: "another" });
    expect(cache.put(recreated)).toEqual([{ type: "deleted", object: bound }]);
    expect(cache.byIndex("node", "n1")).toEqual([]);
    expect(cache.delete(recreated)).toEqual([]);
    expect(cache.replaceAll([recreated, bound])).toEqual([{ type: "added", object: bound }]);
    const final = aPod("web", 4);
    expect(cache.put(final)).toEqual([{ type: "deleted", object: final }]);
  });

  test("finds objects by index, and rejects an unknown index", () => {
    const cache = new ObjectCache<Pod>({ indexes });
    const [one, two] = [aPod("one", 1, { node: "n1" }), aPod("two", 2, { node: "n1" })];
    cache.put(one);
    cache.put(two);
    cache.put(aPod("three", 3));
    expect(cache.byIndex("node", "n1")).toEqual([one, two]);
    expect(() => cache.byIndex("owner", "x")).toThrow('no index "owner"');
  });
});

function aPod(name: string, revision: number, options: { uid?: string; node?: string } = {}): Pod {
  return {
    metadata: { name, namespace: "default", uid: options.uid ?? name, resourceVersion: String(revision) },
    spec: { containers: [], ...(options.node === undefined ? {} : { nodeName: options.node }) },
  };
}
