import type { PlannedFault, ScenarioWorkload } from "@kintsugi/simulation";
import { aRun, every, later, second, type PlannedRun } from "./plot.ts";

const work = { name: "batch", kind: "Job", replicas: 3, completions: 8, script: "sleep 3; exit 0" } as const;
const identities: readonly ScenarioWorkload[] = [{ name: "db", kind: "StatefulSet", replicas: 3, parallel: true }];

const dyingAtWrites: readonly PlannedFault[] = every(3 * second, 5, (turn) => ({
  fault: "kill-at-write",
  target: "controller-manager",
  with: { write: 1 + turn, moment: "after" },
  forMs: second,
}));

/** The runs of Jobs and StatefulSets. */
export const workloadRuns = {
  /** The controller-manager crashes between the writes that make up a count. */
  "a Job runs while its controller is killed": (seed) =>
    aRun("a Job runs while its controller is killed", seed, {
      workloads: [work],
      faults: dyingAtWrites,
      afterMs: 25 * second,
      world: { leaderElection: false },
    }),

  "an indexed Job runs while its controller is killed": (seed) =>
    aRun("an indexed Job runs while its controller is killed", seed, {
      workloads: [{ ...work, indexed: true }],
      faults: dyingAtWrites,
      afterMs: 25 * second,
      world: { leaderElection: false },
    }),

  /**
   * The node is down for longer than its pods tolerate, so other pods replace these pods while they
   * are terminating.
   */
  "a Job loses a node": (seed) =>
    aRun("a Job loses a node", seed, {
      workloads: [{ ...work, replicas: 6, script: "sleep 20; exit 0" }],
      faults: [{ fault: "kill-node", target: "node-2", atMs: 8 * second, forMs: 60 * second }],
      afterMs: 20 * second,
    }),

  /** The node is cut off for longer than its pods tolerate, and its containers keep running. */
  "a node of a StatefulSet is disconnected": (seed) =>
    aRun("a node of a StatefulSet is disconnected", seed, {
      workloads: identities,
      faults: [{ fault: "cut-node", target: "node-2", atMs: 8 * second, forMs: 80 * second }],
    }),

  /** A user requests another version while its pods cannot be reached. */
  "a StatefulSet is rolled out while a node is disconnected": (seed) =>
    aRun("a StatefulSet is rolled out while a node is disconnected", seed, {
      workloads: identities,
      faults: [
        { fault: "cut-node", target: "node-2", atMs: 8 * second, forMs: 30 * second },
        { fault: "roll-out", target: "db", atMs: 9 * second },
      ],
    }),

  /** The evicted pod is replaced by a pod of the same name before its budget is inspected again. */
  "a node of a StatefulSet is drained while its controllers are killed": (seed) =>
    aRun("a node of a StatefulSet is drained while its controllers are killed", seed, {
      workloads: [{ name: "db", kind: "StatefulSet", replicas: 4, parallel: true, minAvailable: 3 }],
      faults: [
        { fault: "drain-at-once", target: "node-2", atMs: 5 * second, forMs: 25 * second },
        ...later(dyingAtWrites, 2 * second),
      ],
      afterMs: 100 * second,
      world: { leaderElection: false },
    }),

  "a StatefulSet is scaled and rolled out": (seed) =>
    aRun("a StatefulSet is scaled and rolled out", seed, {
      mode: "liveness",
      workloads: identities,
      faults: [
        { fault: "scale", target: "db", with: { replicas: 5 }, atMs: 5 * second },
        { fault: "roll-out", target: "db", atMs: 15 * second },
      ],
    }),
} as const satisfies Record<string, (seed: number) => PlannedRun>;
