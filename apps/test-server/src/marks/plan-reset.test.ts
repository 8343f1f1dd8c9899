import type { Entry } from "@kintsugi/store";
import { expect, test } from "vitest";
import { nodesTouched, planReset } from "./plan-reset.ts";

function entry(key: string, revision: number, nodeName?: string): Entry {
  const fields = nodeName === undefined ? {} : { "spec.nodeName": nodeName };
  return { key, revision, value: new Uint8Array(), index: { uid: key, fields } };
}

const keysOf = (entries: readonly Entry[]) => entries.map(({ key }) => key);

test("changed and deleted objects are restored, and new objects are removed, containers before their contents", () => {
  const marked = [
    entry("core/configmaps/a/same", 3),
    entry("core/configmaps/a/changed", 4),
    entry("core/configmaps/gone/c", 5),
    entry("core/namespaces/_/gone", 6),
  ];
  const present = [
    entry("core/configmaps/a/same", 3),
    entry("core/configmaps/a/changed", 9),
    entry("core/namespaces/_/new", 10),
    entry("core/configmaps/new/c", 11),
  ];
  const { puts, deletes } = planReset(marked, present);
  expect(keysOf(puts)).toEqual(["core/namespaces/_/gone", "core/configmaps/a/changed", "core/configmaps/gone/c"]);
  expect(keysOf(deletes)).toEqual(["core/configmaps/new/c", "core/namespaces/_/new"]);
});

test("the Leases of nodes are not restored because nodes with older Leases would look failed", () => {
  const lease = "coordination.k8s.io/leases/kube-node-lease/node-1";
  expect(planReset([entry(lease, 3)], [entry(lease, 9)])).toEqual({ puts: [], deletes: [] });
  const election = "coordination.k8s.io/leases/operators/mine";
  expect(keysOf(planReset([entry(election, 3)], [entry(election, 9)]).puts)).toEqual([election]);
});

test("the kubelets of changed pods have to sync again", () => {
  const plan = {
    puts: [entry("core/pods/a/p", 3, "node-1"), entry("core/nodes/_/node-3", 3)],
    deletes: [entry("core/pods/a/q", 3, "node-2"), entry("core/pods/a/unbound", 3)],
  };
  expect([...nodesTouched(plan)].toSorted()).toEqual(["node-1", "node-2", "node-3"]);
});
