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
];
