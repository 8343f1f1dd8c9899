import type { PlantedBug } from "../planted-bug.ts";

const server = "apps/api-server/src";

/** Of the API server and its relay. */
export const apiServerBugs: readonly PlantedBug[] = [
  {
    name: "a second delete puts the end off",
    file: `${server}/verbs/plan-delete.ts`,
    find: "const changed = begun ? shortenGrace",
    replace: "const changed = false ? shortenGrace",
    caughtBy: "S8",
    life: "pods are deleted twice",
    seed: 1,
  },
  {
    name: "a watch begins one change too late",
    file: `${server}/verbs/watch.ts`,
    find: "context.store.changesSince(resource, start.revision);",
    replace: "context.store.changesSince(resource, start.revision).slice(1);",
    caughtBy: "L2 converges",
    life: "the bus is in disorder",
    seed: 1,
  },
  {
    name: "the relay of a restarted API server knows nothing of what was before",
    file: `${server}/watch/node-revisions.ts`,
    find: "for (const entry of store.list(`${podResource}/`).entries) this.#raise(entry, entry.revision);\n    // Deleted pods are found as long as the window has them.\n    for (const change of recentChanges(store)) this.#raise(change.entry, change.revision);",
    replace: "void recentChanges;",
    caughtBy: "L2 converges",
    life: "kubelets miss some of their pods",
    seed: 1,
  },
  {
    name: "a pod that has a node can be bound to another",
    file: `${server}/subresources/binding.ts`,
    find: 'if ((spec.nodeName ?? "") !== "") {',
    replace: "if (spec.nodeName === null) {",
    caughtBy: "S9",
    life: "the scheduler stands still",
    seed: 1,
  },
];
