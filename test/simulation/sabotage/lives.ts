import type { PlannedFault, Scenario, ScenarioWorkload } from "@kintsugi/simulation";
import { drawScenario } from "@kintsugi/simulator/factory";

const second = 1000;

/** What a life is about; the rest is as in `aLife`. */
interface Plot {
  workloads: readonly ScenarioWorkload[];
  faults: readonly PlannedFault[];
  nodes?: number;
  profile?: Scenario["profile"];
  mode?: Scenario["mode"];
  world?: Partial<Scenario["world"]>;
  /** How long it goes on after the last fault. */
  afterMs?: number;
}

/**
 * Three nodes in the fastest profile, and messages that take their time, so that everybody's cache is behind. Only what may never be
 * is looked for, which is soon done, unless the plot is one of "liveness".
 */
function aLife(name: string, seed: number, plot: Plot): Scenario {
  const { workloads, faults, nodes = 3, profile = "fast", mode = "safety", world, afterMs = 5 * second } = plot;
  const lastMs = Math.max(0, ...faults.map(({ atMs, forMs = 0 }) => atMs + forMs));
  return {
    name,
    seed,
    profile,
    mode,
    nodes: Array.from({ length: nodes }, (_, index) => ({ name: `node-${index + 1}` })),
    workloads,
    faults,
    durationMs: lastMs + afterMs,
    world: { bus: true, leaderElection: true, latencyMaxMs: 200, ...world },
  };
}

type Deed = Omit<PlannedFault, "atMs">;

/** One deed after the other. */
function every(everyMs: number, count: number, deed: (turn: number) => Deed): PlannedFault[] {
  return Array.from({ length: count }, (_, turn) => ({ ...deed(turn), atMs: (turn + 1) * everyMs }));
}

/** The same deed behind each of the others, each time a little later behind it. */
function behindEach(others: readonly PlannedFault[], laterMs: number, deed: Deed): PlannedFault[] {
  return others.flatMap((other, turn) => [other, { ...deed, atMs: other.atMs + laterMs * (turn + 1) }]);
}

function eachNode(deed: Deed): PlannedFault[] {
  return ["node-1", "node-2", "node-3"].map((target) => ({ ...deed, target, atMs: second }));
}

function scaleTo(replicas: number): Deed {
  return { fault: "scale", target: "web", with: { replicas } };
}

const setNames = ["web-1", "web-2", "web-3", "web-4", "web-5", "web-6"];

const web = (replicas: number): readonly ScenarioWorkload[] => [{ name: "web", replicas }];

/** Short lives, by what they are about. Bugs share them, so that few have to be shown to be sound. */
export const lives = {
  "anything happens": (seed) => drawScenario(seed, { nodes: 3, profile: "fast", durationMs: 60 * second }),

  "nothing happens": (seed) => aLife("nothing happens", seed, { mode: "liveness", workloads: web(3), faults: [] }),

  /** Faster than the controller's cache can follow. */
  "a set grows": (seed) =>
    aLife("a set grows", seed, { workloads: web(1), faults: every(second, 8, (turn) => scaleTo(4 + 3 * turn)) }),

  /** The nodes have room for exactly the pods that are asked for. */
  "nodes are full": (seed) =>
    aLife("nodes are full", seed, {
      workloads: [{ name: "web", replicas: 12, cpu: "1000m" }],
      faults: every(3 * second, 4, (turn) => scaleTo(turn % 2 === 0 ? 2 : 12)),
    }),

  /** With bindings on their way, which arrive when another has taken over and decided anew. */
  "the scheduler stands still": (seed) =>
    aLife("the scheduler stands still", seed, {
      workloads: web(1),
      faults: [
        { fault: "second-scheduler", atMs: 100 },
        { ...scaleTo(20), atMs: second },
        { fault: "grey-network", target: "scheduler", with: { loss: 0, delayMs: 9000 }, atMs: 1020, forMs: 300 },
        { fault: "pause-service", target: "scheduler", atMs: 1320, forMs: 12 * second },
      ],
      world: { latencyMaxMs: 20 },
    }),

  /** For a moment each time, with answers on their way. */
  "the api-server dies": (seed) =>
    aLife("the api-server dies", seed, {
      workloads: web(1),
      faults: behindEach(
        every(2500, 10, (turn) => scaleTo(3 * turn + 3)),
        60,
        { fault: "kill-service", target: "api-server", forMs: 40 },
      ),
    }),

  "containers and sandboxes die": (seed) =>
    aLife("containers and sandboxes die", seed, {
      workloads: web(3),
      faults: [
        ...every(2 * second, 8, () => ({ fault: "container-exits" })),
        ...every(5 * second, 4, () => ({ fault: "kill-sandbox" })),
      ],
    }),

  /** One after the other, each for longer than its pods tolerate; meanwhile there is something to schedule. */
  "nodes are away": (seed) =>
    aLife("nodes are away", seed, {
      workloads: web(6),
      faults: [
        { fault: "cut-node", target: "node-2", atMs: second, forMs: 35 * second },
        { ...scaleTo(20), atMs: 30 * second },
        { fault: "kill-node", target: "node-3", atMs: 45 * second, forMs: 15 * second },
      ],
    }),

  /** Its kubelet lives and says so. */
  "a runtime is away": (seed) =>
    aLife("a runtime is away", seed, {
      workloads: web(6),
      faults: [{ fault: "runtime-away", target: "node-1", atMs: second, forMs: 50 * second }],
      world: { latencyMaxMs: 5 },
    }),

  /** And a controller-manager begins that has seen none of them well. */
  "all nodes fail": (seed) =>
    aLife("all nodes fail", seed, {
      workloads: web(3),
      faults: [
        ...eachNode({ fault: "runtime-away", forMs: 70 * second }),
        { fault: "kill-service", target: "controller-manager", atMs: 20 * second, forMs: 30 * second },
      ],
    }),

  /** Its runtime fails while nobody is there to see it. */
  "a controller-manager finds a node down": (seed) =>
    aLife("a controller-manager finds a node down", seed, {
      workloads: web(3),
      faults: [
        { fault: "runtime-away", target: "node-1", atMs: second, forMs: 60 * second },
        { fault: "kill-service", target: "controller-manager", atMs: 20 * second, forMs: 25 * second },
      ],
    }),

  /** In the profile in which pods may begin to leave one node every ten seconds. */
  "two nodes of five fail at once": (seed) =>
    aLife("two nodes of five fail at once", seed, {
      nodes: 5,
      profile: "kubernetes",
      workloads: web(10),
      faults: ["node-1", "node-2"].map((target) => ({ fault: "cut-node", target, atMs: second, forMs: 90 * second })),
    }),

  /** Pods are deleted that are on their way out already: their kubelets are away. */
  "pods are deleted twice": (seed) =>
    aLife("pods are deleted twice", seed, {
      workloads: web(4),
      faults: [
        ...eachNode({ fault: "kill-kubelet", forMs: 40 * second }),
        ...every(2 * second, 16, () => ({ fault: "delete-pod" })),
      ],
    }),

  /** Its cache stands still for longer than it waits for what it has created, and it goes on being asked. */
  "a controller hears of no pod": (seed) =>
    aLife("a controller hears of no pod", seed, {
      nodes: 2,
      workloads: web(1),
      faults: [
        {
          fault: "hide-events",
          target: "controller-manager",
          with: { resource: "pods" },
          atMs: 100,
          forMs: 330 * second,
        },
        { ...scaleTo(5), atMs: second },
      ],
    }),

  /** Of several sets that want one pod more each; and what it has done it does not see. */
  "a controller's answers are lost": (seed) =>
    aLife("a controller's answers are lost", seed, {
      workloads: setNames.map((name) => ({ name, replicas: 1 })),
      faults: [
        {
          fault: "hide-events",
          target: "controller-manager",
          with: { resource: "pods" },
          atMs: 500,
          forMs: 50 * second,
        },
        ...setNames.map((target) => ({ fault: "scale", target, with: { replicas: 2 }, atMs: second })),
        {
          fault: "grey-network",
          target: "controller-manager",
          with: { loss: 0.5, delayMs: 50 },
          atMs: second,
          forMs: 600,
        },
      ],
      world: { leaderElection: false },
    }),

  /** Just after it was given something to do, for long enough that another takes over; then it goes on where it was. */
  "a leader stands still": (seed) =>
    aLife("a leader stands still", seed, {
      workloads: web(1),
      faults: [
        { fault: "second-controller-manager", atMs: 100 },
        ...behindEach(
          every(20 * second, 4, (turn) => scaleTo(12 + 10 * turn)),
          250,
          { fault: "pause-service", target: "controller-manager", forMs: 9 * second },
        ),
      ],
      afterMs: 15 * second,
    }),

  /** One of them waits, or should. */
  "there are two controller-managers": (seed) =>
    aLife("there are two controller-managers", seed, {
      workloads: web(1),
      faults: [{ fault: "second-controller-manager", atMs: 100 }, ...every(1300, 12, (turn) => scaleTo(6 + 5 * turn))],
    }),

  "a node's clock jumps": (seed) =>
    aLife("a node's clock jumps", seed, {
      workloads: web(3),
      faults: [
        { fault: "clock-jump", target: "node-1", with: { byMs: -3_600_000 }, atMs: 3 * second, forMs: 20 * second },
        { fault: "clock-jump", target: "node-2", with: { byMs: 3_600_000 }, atMs: 5 * second, forMs: 20 * second },
      ],
    }),

  /** It hears again when nothing happens any more. */
  "the scheduler misses the last of the pods": (seed) =>
    aLife("the scheduler misses the last of the pods", seed, {
      mode: "liveness",
      workloads: web(2),
      faults: [
        { fault: "hide-events", target: "scheduler", with: { resource: "pods" }, atMs: second, forMs: 15 * second },
        { ...scaleTo(8), atMs: 2 * second },
      ],
    }),

  /** From somewhere within a number of them on; others follow soon. */
  "the scheduler misses some of the pods": (seed) =>
    aLife("the scheduler misses some of the pods", seed, {
      mode: "liveness",
      workloads: web(1),
      faults: [
        ...behindEach(
          every(3 * second, 8, (turn) => scaleTo(6 * turn + 6)),
          110,
          { fault: "hide-events", target: "scheduler", with: { resource: "pods" }, forMs: 900 },
        ),
        ...every(3 * second, 8, (turn) => scaleTo(6 * turn + 7)).map((deed) => ({
          ...deed,
          atMs: deed.atMs + 2 * second,
        })),
      ],
    }),

  /** And the API server, which could tell them what they have missed, begins anew. */
  "kubelets miss some of their pods": (seed) =>
    aLife("kubelets miss some of their pods", seed, {
      mode: "liveness",
      workloads: web(1),
      faults: [
        ...eachNode({ fault: "hide-events", with: { resource: "pods" }, forMs: 6 * second }),
        { ...scaleTo(9), atMs: 1500 },
        { fault: "kill-service", target: "api-server", atMs: 2500, forMs: second },
      ],
    }),

  "pods are force-deleted while their kubelets are down": (seed) =>
    aLife("pods are force-deleted while their kubelets are down", seed, {
      mode: "liveness",
      workloads: web(3),
      faults: eachNode({ fault: "force-delete-while-kubelet-down", forMs: 10 * second }),
    }),

  /** There is no room for all, and what it has done it sees late. */
  "the scheduler's answers are lost": (seed) =>
    aLife("the scheduler's answers are lost", seed, {
      workloads: [{ name: "web", replicas: 1, cpu: "1000m" }],
      faults: [
        { ...scaleTo(16), atMs: second },
        { fault: "grey-network", target: "scheduler", with: { loss: 0.4, delayMs: 600 }, atMs: 1080, forMs: 1500 },
        { fault: "hide-events", target: "scheduler", with: { resource: "pods" }, atMs: 1250, forMs: 25 * second },
      ],
      world: { leaderElection: false, latencyMaxMs: 20 },
    }),

  "the bus is in disorder": (seed) =>
    aLife("the bus is in disorder", seed, {
      mode: "liveness",
      workloads: web(3),
      faults: [
        { fault: "bus-in-disorder", atMs: 500, forMs: 30 * second },
        ...every(1500, 18, (turn) => (turn % 3 === 2 ? { fault: "delete-pod" } : scaleTo(2 + ((turn * 5) % 9)))),
      ],
    }),
} as const satisfies Record<string, (seed: number) => Scenario>;

export type LifeName = keyof typeof lives;
