import type { PlannedFault } from "@kintsugi/simulation";
import { drawScenario } from "@kintsugi/simulator/factory";
import { aRun, behindEach, every, later, scaleTo, second, web, type PlannedRun } from "./plot.ts";

/** The runs with faults of the control-plane services. */
export const controlPlaneRuns = {
  /** The set grows faster than the controller's cache can follow. */
  "a set grows": (seed) =>
    aRun("a set grows", seed, { workloads: web(1), faults: every(second, 8, (turn) => scaleTo(4 + 3 * turn)) }),

  /**
   * The versions follow each other, each when the previous version is fully processed, while the
   * controller's cache lags and the controller dies at its writes.
   */
  "versions are rolled out": (seed) =>
    aRun("versions are rolled out", seed, {
      mode: "liveness",
      workloads: [{ name: "web", kind: "Deployment", replicas: 6 }],
      faults: [
        { fault: "roll-out", target: "web", atMs: 20 * second },
        { fault: "roll-out-broken", target: "web", atMs: 45 * second, forMs: 8 * second },
        { fault: "roll-out", target: "web", atMs: 75 * second },
        {
          fault: "kill-at-write",
          target: "controller-manager",
          with: { write: 3, moment: "after" },
          atMs: 75_100,
          forMs: 3 * second,
        },
        { ...scaleTo(9), atMs: 90 * second },
      ],
      world: { leaderElection: false },
    }),

  /**
   * The events of sets and of the Deployment arrive late: a rollout is undone before the event of
   * its last step.
   */
  "a version is rolled back while changes are late": (seed) =>
    aRun("a version is rolled back while changes are late", seed, {
      workloads: [{ name: "web", kind: "Deployment", replicas: 8 }],
      faults: [
        { fault: "bus-late", atMs: 10 * second, forMs: 100 * second, with: { share: 0.5 } },
        ...every(12 * second, 8, (turn) => ({
          fault: "roll-out-broken",
          target: "web",
          atMs: 0,
          forMs: 1000 + 500 * turn,
        })),
      ],
      world: { leaderElection: false },
    }),

  /** A user writes the endpoints of a Service without selector, and the Service after them. */
  "endpoints are written by hand": (seed) =>
    aRun("endpoints are written by hand", seed, {
      nodes: 1,
      workloads: web(1),
      faults: [{ fault: "write-endpoints", with: { addresses: 2 }, atMs: 3 * second }],
      afterMs: 20 * second,
      world: { leaderElection: false },
    }),

  /** The nodes have room for exactly the wanted pods. */
  "nodes are full": (seed) =>
    aRun("nodes are full", seed, {
      workloads: [{ name: "web", replicas: 12, cpu: "1000m" }],
      faults: every(3 * second, 4, (turn) => scaleTo(turn % 2 === 0 ? 2 : 12)),
    }),

  /**
   * There is room for exactly all pods in the end. Until then, important pods have to preempt the
   * other pods, while the scheduler dies.
   */
  "important pods are created for full nodes": (seed) =>
    aRun("important pods are created for full nodes", seed, {
      mode: "liveness",
      nodes: 4,
      workloads: [
        { name: "web", replicas: 9, cpu: "1000m", minAvailable: 5 },
        { name: "vital", kind: "Deployment", replicas: 4, cpu: "1000m", important: true },
      ],
      faults: [
        { fault: "drain", target: "node-1", atMs: 5 * second, forMs: 15 * second },
        dyingAtWrite({ write: 2, moment: "after" }, 8 * second),
        { fault: "scale", target: "vital", with: { replicas: 7 }, atMs: 20 * second },
        dyingAtWrite({ write: 4, moment: "before" }, 20_100),
        { fault: "cut-node", target: "node-2", atMs: 30 * second, forMs: 20 * second },
        { fault: "roll-out", target: "vital", atMs: 45 * second },
        { fault: "kill-node", target: "node-3", atMs: 56 * second, forMs: 10 * second },
      ],
    }),

  /**
   * Drawn as `npm run simulate` draws them, with nodes that are down so often that room is often
   * scarce.
   */
  "nodes have little capacity": (seed) =>
    drawScenario(seed, {
      nodes: 3,
      profile: "fast",
      durationMs: 60 * second,
      faults: ["drain", "kill-node", "taint-node"],
      littleRoom: true,
    }),

  /**
   * Bindings are in flight, which arrive when another scheduler has taken over and decided again.
   */
  "the scheduler is paused": (seed) =>
    aRun("the scheduler is paused", seed, {
      workloads: web(1),
      faults: [
        { fault: "second-scheduler", atMs: 100 },
        { ...scaleTo(20), atMs: second },
        { fault: "grey-network", target: "scheduler", with: { loss: 0, delayMs: 9000 }, atMs: 1020, forMs: 300 },
        { fault: "pause-service", target: "scheduler", atMs: 1320, forMs: 12 * second },
      ],
      world: { latencyMaxMs: 20 },
    }),

  /** There is not enough room for all pods, and the scheduler receives its own changes late. */
  "responses to the scheduler are lost": (seed) =>
    aRun("responses to the scheduler are lost", seed, {
      workloads: [{ name: "web", replicas: 1, cpu: "1000m" }],
      faults: [
        { ...scaleTo(16), atMs: second },
        { fault: "grey-network", target: "scheduler", with: { loss: 0.4, delayMs: 600 }, atMs: 1080, forMs: 1500 },
        { fault: "hide-events", target: "scheduler", with: { resource: "pods" }, atMs: 1250, forMs: 25 * second },
      ],
      world: { leaderElection: false, latencyMaxMs: 20 },
    }),

  /** The scheduler receives events again when nothing else happens. */
  "the scheduler misses the last pod": (seed) =>
    aRun("the scheduler misses the last pod", seed, {
      mode: "liveness",
      workloads: web(2),
      faults: [
        { fault: "hide-events", target: "scheduler", with: { resource: "pods" }, atMs: second, forMs: 4 * second },
        { ...scaleTo(8), atMs: 1200 },
      ],
    }),

  /** The gap begins at a random event of several, and further events follow soon. */
  "the scheduler misses some of the pods": (seed) =>
    aRun("the scheduler misses some of the pods", seed, {
      mode: "liveness",
      workloads: web(1),
      faults: [
        ...behindEach(
          every(3 * second, 8, (turn) => scaleTo(6 * turn + 6)),
          110,
          { fault: "hide-events", target: "scheduler", with: { resource: "pods" }, forMs: 900 },
        ),
        ...later(
          every(3 * second, 8, (turn) => scaleTo(6 * turn + 7)),
          2 * second,
        ),
      ],
    }),

  /**
   * The leader is paused just after it got work, and long enough for another process to take over.
   * Then it continues where it stopped.
   */
  "a leader is paused": (seed) =>
    aRun("a leader is paused", seed, {
      workloads: web(1),
      faults: [
        { fault: "second-controller-manager", atMs: 100 },
        ...behindEach(
          every(20 * second, 4, (turn) => scaleTo(12 + 10 * turn)),
          150,
          { fault: "pause-service", target: "controller-manager", forMs: 9 * second },
        ),
      ],
      afterMs: 15 * second,
    }),

  /** One of the two waits, or should wait. */
  "there are two controller-managers": (seed) =>
    aRun("there are two controller-managers", seed, {
      workloads: web(1),
      faults: [{ fault: "second-controller-manager", atMs: 100 }, ...every(1300, 12, (turn) => scaleTo(6 + 5 * turn))],
    }),

  /** All kubelets run, but cannot report. */
  "the api-server is down for longer than the grace period of nodes": (seed) =>
    aRun("the api-server is down for longer than the grace period of nodes", seed, {
      workloads: web(3),
      faults: every(15 * second, 3, () => ({ fault: "kill-service", target: "api-server", forMs: 8 * second })),
      world: { leaderElection: false },
    }),

  /** The Node is a new object, and so is the Lease. */
  "a node is registered again, and the controller-manager misses this change": (seed) =>
    aRun("a node is registered again, and the controller-manager misses this change", seed, {
      workloads: web(1),
      faults: [
        { fault: "delete-node", target: "node-2", atMs: 2 * second, forMs: 3 * second },
        {
          fault: "hide-events",
          target: "controller-manager",
          with: { resource: "nodes" },
          atMs: 4 * second,
          forMs: 10 * second,
        },
      ],
      afterMs: 15 * second,
    }),

  /**
   * The service reads again when the server no longer has the old state. The profile leaves time to
   * detect that.
   */
  "pods are created and deleted unseen by their controller": (seed) =>
    aRun("pods are created and deleted unseen by their controller", seed, {
      mode: "liveness",
      profile: "default",
      workloads: web(2),
      faults: [
        {
          fault: "hide-events",
          target: "controller-manager",
          with: { resource: "pods" },
          atMs: second,
          forMs: 11 * second,
        },
        { ...scaleTo(12), atMs: 1200 },
        ...later(
          every(500, 14, () => ({ fault: "force-delete-pod" })),
          2500,
        ),
      ],
      world: { leaderElection: false, latencyMaxMs: 20, kept: { eventsMin: 10, durationMs: second } },
    }),

  /**
   * Writes are in flight to the server's slow disk, and clients are not notified of these writes.
   */
  "the api-server is killed": (seed) =>
    aRun("the api-server is killed", seed, {
      workloads: web(1),
      faults: behindEach(
        every(6 * second, 8, (turn) => scaleTo(turn + 2)),
        25,
        { fault: "kill-service", target: "api-server", forMs: 50 },
      ),
      world: { leaderElection: false, latencyMaxMs: 20 },
      deed: ({ server }) => {
        server.disk?.slow({ minMs: 0, maxMs: 150 });
      },
    }),
} as const satisfies Record<string, (seed: number) => PlannedRun>;

/** Kills the scheduler at a write, for two seconds. */
function dyingAtWrite(at: { write: number; moment: "before" | "after" }, atMs: number): PlannedFault {
  return { fault: "kill-at-write", target: "scheduler", with: at, atMs, forMs: 2 * second };
}
