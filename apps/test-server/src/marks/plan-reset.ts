import type { Entry } from "@kintsugi/store";

/** The writes that restore a cluster's objects, in their order. */
export interface ResetPlan {
  readonly puts: readonly Entry[];
  readonly deletes: readonly Entry[];
}

/** The nodes' Leases are heartbeats; with older Leases the nodes would be considered lost. */
const kept = "coordination.k8s.io/leases/kube-node-lease/";

/** Kinds and namespaces are created before the objects in them, and removed after them. */
const first = ["apiextensions.k8s.io/customresourcedefinitions/", "core/namespaces/"];

/** Plans the writes from the present entries to the entries of a mark. */
export function planReset(marked: readonly Entry[], present: readonly Entry[]): ResetPlan {
  const now = new Map(present.map((entry) => [entry.key, entry]));
  const then = new Set(marked.map(({ key }) => key));
  const isMoved = ({ key }: Entry) => !key.startsWith(kept);
  return {
    puts: marked
      .filter((entry) => isMoved(entry) && now.get(entry.key)?.revision !== entry.revision)
      .toSorted((a, b) => rankOf(a) - rankOf(b)),
    deletes: present
      .filter((entry) => isMoved(entry) && !then.has(entry.key))
      .toSorted((a, b) => rankOf(b) - rankOf(a)),
  };
}

function rankOf({ key }: Entry): number {
  const rank = first.findIndex((prefix) => key.startsWith(prefix));
  return rank < 0 ? first.length : rank;
}

/** Returns the nodes on which pods change, because their kubelets have an outdated state. */
export function nodesTouched({ puts, deletes }: ResetPlan): ReadonlySet<string> {
  const names = [...puts, ...deletes]
    .filter(({ key }) => key.startsWith("core/pods/") || key.startsWith("core/nodes/"))
    .map(({ key, index }) => (key.startsWith("core/nodes/") ? key.split("/").at(-1) : index.fields?.["spec.nodeName"]));
  return new Set(names.filter((name): name is string => name !== undefined && name !== ""));
}
