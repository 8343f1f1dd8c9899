import { ScriptedFaults } from "@kintsugi/cri/simulated";
import type { PlannedFault, ScenarioWorkload } from "@kintsugi/simulation";
import { aRun, eachNode, every, type PlannedRun, second } from "./plot.ts";

const daemons: readonly ScenarioWorkload[] = [{ name: "agent", kind: "DaemonSet", replicas: 1 }];
const controller: readonly ScenarioWorkload[] = [{ name: "old", kind: "ReplicationController", replicas: 3 }];
const fenced: readonly ScenarioWorkload[] = [{ name: "web", kind: "Deployment", replicas: 3, fenced: true }];
const nightly = { name: "sum", kind: "CronJob", replicas: 1, script: "sleep 3; exit 0" } as const;
const autoscaled: readonly ScenarioWorkload[] = [
  { name: "web", kind: "Deployment", replicas: 2, autoscale: { min: 2, max: 5, cpu: "100m", load: "200m" } },
];

const crowded: readonly ScenarioWorkload[] = [
  { name: "web", replicas: 4, minAvailable: 3 },
  { name: "shop", kind: "ReplicationController", replicas: 4, minAvailable: 4 },
  { name: "db", kind: "StatefulSet", replicas: 4, parallel: true },
];
const lostAndBack = { fault: "kill-node", target: "node-1", atMs: 3 * second, forMs: 25 * second } as const;

const dyingAtWrites: readonly PlannedFault[] = every(4 * second, 5, (turn) => ({
  fault: "kill-at-write",
  target: "controller-manager",
  with: { write: 1 + turn, moment: "after" },
  forMs: second,
}));

/** The runs of the other kinds of workloads, of autoscalers and of fences. */
export const newerWorkloadRuns = {
  /** The next pod of a node could start before its previous pod has ended. */
  "a DaemonSet is rolled out while containers end slowly": (seed) =>
    aRun("a DaemonSet is rolled out while containers end slowly", seed, {
      mode: "liveness",
      workloads: daemons,
      faults: [
        ...eachNode({ fault: "runtime-call-slow", with: { call: "stopContainer", times: 1 }, forMs: 40 * second }),
        { fault: "roll-out", target: "agent", atMs: 3 * second },
      ],
      afterMs: 10 * second,
    }),

  "a ReplicationController is scaled while its controller is killed": (seed) =>
    aRun("a ReplicationController is scaled while its controller is killed", seed, {
      mode: "liveness",
      workloads: controller,
      faults: [
        ...dyingAtWrites,
        ...every(3 * second, 6, (turn) => ({
          fault: "scale",
          target: "old",
          with: { replicas: turn % 2 === 0 ? 9 : 2 },
        })),
      ],
      world: { leaderElection: false },
    }),

  /** The run begins about 13 s after a full minute, and a Job is due 107 s later. */
  "a CronJob's controller is down when a Job is due": (seed) =>
    aRun("a CronJob's controller is down when a Job is due", seed, {
      workloads: [{ ...nightly, schedule: "*/2 * * * *" }],
      faults: [{ fault: "kill-service", target: "controller-manager", atMs: 90 * second, forMs: 35 * second }],
      afterMs: 80 * second,
    }),

  /** One of its writes creates the due Job, and the next is the status that shows it. */
  "a CronJob's controller is killed at its writes": (seed) =>
    aRun("a CronJob's controller is killed at its writes", seed, {
      workloads: [nightly],
      faults: every(45 * second, 1, () => ({
        fault: "kill-at-write",
        target: "controller-manager",
        with: { write: 1, moment: "after" },
        forMs: 10 * second,
      })),
      afterMs: 30 * second,
      world: { leaderElection: false },
    }),

  /** The load rises beyond the largest size, and soon falls again. */
  "an autoscaled Deployment has a changing load": (seed) =>
    aRun("an autoscaled Deployment has a changing load", seed, {
      mode: "liveness",
      workloads: autoscaled,
      faults: [
        { fault: "load", target: "web", with: { millicores: 800 }, atMs: 20 * second, forMs: 15 * second },
        { fault: "load", target: "web", with: { millicores: 100 }, atMs: 60 * second, forMs: 15 * second },
      ],
      afterMs: 20 * second,
    }),

  /** The StatefulSet need not wait for the node, because a user confirms that it is off. */
  "a StatefulSet loses a node that a user declares off": (seed) =>
    aRun("a StatefulSet loses a node that a user declares off", seed, {
      mode: "liveness",
      workloads: [{ name: "db", kind: "StatefulSet", replicas: 3 }],
      faults: [{ fault: "fence-node", target: "node-2", atMs: 5 * second, stays: true }],
    }),

  "a node with fenced pods is disconnected": (seed) =>
    aRun("a node with fenced pods is disconnected", seed, {
      mode: "liveness",
      workloads: fenced,
      faults: [{ fault: "cut-node", target: "node-2", atMs: 5 * second, forMs: 30 * second }],
    }),
  /**
   * One of two nodes fails and returns, so that the workloads are concentrated on the other node.
   */
  "pods move back to a node that has returned": (seed) =>
    aRun("pods move back to a node that has returned", seed, {
      nodes: 2,
      mode: "liveness",
      workloads: crowded,
      faults: [{ ...lostAndBack, fault: "fence-node" }],
      world: { rebalance: true },
      afterMs: 60 * second,
    }),

  /**
   * A new pod of the node needs 20 s until it is Ready, and each of nine sets has one pod to move.
   */
  "pods move while new pods start slowly": (seed) =>
    aRun("pods move while new pods start slowly", seed, {
      nodes: 2,
      workloads: ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map((name) => ({ name, replicas: 3 })),
      faults: [lostAndBack],
      world: { rebalance: true },
      deed: (cluster) => {
        const faults = new ScriptedFaults(cluster.clock);
        faults.delay("startContainer", 20 * second);
        cluster.node("node-1").calls.add(faults);
      },
      afterMs: 60 * second,
    }),
} as const satisfies Record<string, (seed: number) => PlannedRun>;
