import type { PlantedBug } from "../planted-bug.ts";

const client = "packages/client/src";

/** Bugs of informers, and of a client's view of its server. */
export const clientBugs: readonly PlantedBug[] = [
  {
    name: "marks are ignored, so that the loss of a last event is never detected",
    file: `${client}/informer/plan-informer-step.ts`,
    find: "mark.revision <= known.position ? keep(known) : watch({ ...known, pending: [], anchor: mark.revision })",
    replace: "keep(known)",
    caughtBy: "copies-agree",
    run: "the scheduler misses the last pod",
    seed: 1,
  },
  {
    name: "gaps in the change stream are ignored",
    file: `${client}/informer/plan-informer-step.ts`,
    find: "if (change.previous > known.position) return",
    replace: "if (change.previous === null) return",
    // An informer's own assertion detects the bug first when a change arrives for an object that
    // its copy lacks.
    caughtBy: "copies-agree",
    orBy: "no-process-exits",
    run: "the scheduler misses some of the pods",
    seed: 1,
  },
  {
    name: "an informer resumes one revision too late",
    file: `${client}/informer/plan-informer-step.ts`,
    find: 'actions: [{ do: "watch", from: state.position }]',
    replace: 'actions: [{ do: "watch", from: state.position + 1 }]',
    caughtBy: "copies-agree",
    run: "the scheduler misses some of the pods",
    seed: 1,
  },
  {
    name: "free space on a disk that was full is not reported",
    file: `${client}/rest/server-presence.ts`,
    find: "this.#isFull = true;",
    replace: "void this.#isFull;",
    caughtBy: "lost-nodes-are-evicted",
    run: "a node is lost permanently, and the disk is full when its pods are to be evicted",
    seed: 1,
  },
];
