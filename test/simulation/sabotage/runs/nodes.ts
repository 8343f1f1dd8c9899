import { aRun, eachNode, every, scaleTo, second, web, type PlannedRun } from "./plot.ts";

/** The runs with faults of nodes and of their containers. */
export const nodeRuns = {
  "there are no faults": (seed) =>
    aRun("there are no faults", seed, { mode: "liveness", workloads: web(3), faults: [] }),

  "there are no faults and no bus": (seed) =>
    aRun("there are no faults and no bus", seed, {
      mode: "liveness",
      workloads: web(3),
      faults: [],
      world: { bus: false },
    }),

  /** The other nodes have to be considered healthy, and to receive the pods of the lost node. */
  "a node is lost permanently": (seed) =>
    aRun("a node is lost permanently", seed, {
      mode: "liveness",
      workloads: web(3),
      faults: [{ fault: "kill-node", target: "node-2", atMs: second, stays: true }],
      world: { latencyMaxMs: 40 },
    }),

  /**
   * The disk has room again a good two minutes before the evicting controller would retry by
   * itself.
   */
  "a node is lost permanently, and the disk is full when its pods are to be evicted": (seed) =>
    aRun("a node is lost permanently, and the disk is full when its pods are to be evicted", seed, {
      mode: "liveness",
      workloads: web(3),
      faults: [
        { fault: "kill-node", target: "node-2", atMs: second, stays: true },
        { fault: "disk-full", atMs: 8 * second, forMs: 180 * second, with: { freeKib: 0 } },
      ],
      world: { latencyMaxMs: 40 },
    }),

  /** The pods are not Ready for increasing periods, while other pods are created and deleted. */
  "a Service selects pods that crash": (seed) =>
    aRun("a Service selects pods that crash", seed, {
      profile: "default",
      mode: "liveness",
      workloads: web(3).map((workload) => ({ ...workload, service: true })),
      faults: [
        ...every(2 * second, 60, () => ({ fault: "container-exits" })),
        ...every(6 * second, 20, (turn) => scaleTo(3 + (turn % 3))),
      ],
    }),

  /** One of the nodes also requests Secrets of another namespace, which its pods do not need. */
  "pods mount ConfigMaps and Secrets": (seed) =>
    aRun("pods mount ConfigMaps and Secrets", seed, {
      workloads: web(3).map((workload) => ({ ...workload, volumes: true })),
      faults: [{ fault: "kill-kubelet", target: "node-1", atMs: 10 * second, forMs: 5 * second }],
      deed: ({ clock, server }) => {
        const identity = { name: "system:node:node-1", groups: ["system:nodes", "system:authenticated"] };
        const path = "/api/v1/namespaces/kube-system/secrets";
        const ask = () =>
          server.handle({ method: "GET", path, headers: {}, identity, signal: new AbortController().signal });
        clock.after(8 * second, () => void ask().catch(() => {}));
      },
    }),

  "containers and sandboxes are killed": (seed) =>
    aRun("containers and sandboxes are killed", seed, {
      workloads: web(3),
      faults: [
        ...every(2 * second, 8, () => ({ fault: "container-exits" })),
        ...every(5 * second, 4, () => ({ fault: "kill-sandbox" })),
      ],
    }),

  /**
   * The nodes are disconnected one after the other, each for longer than its pods tolerate. In the
   * meantime, other pods need scheduling.
   */
  "nodes are disconnected": (seed) =>
    aRun("nodes are disconnected", seed, {
      workloads: web(6),
      faults: [
        { fault: "cut-node", target: "node-2", atMs: second, forMs: 35 * second },
        { ...scaleTo(20), atMs: 30 * second },
        { fault: "kill-node", target: "node-3", atMs: 45 * second, forMs: 15 * second },
      ],
    }),

  /** The node's kubelet runs and reports the fault. */
  "a runtime does not respond": (seed) =>
    aRun("a runtime does not respond", seed, {
      workloads: web(6),
      faults: [{ fault: "runtime-away", target: "node-1", atMs: second, forMs: 50 * second }],
      world: { latencyMaxMs: 5 },
    }),

  /** A controller-manager also starts that has never observed the nodes as healthy. */
  "all nodes fail": (seed) =>
    aRun("all nodes fail", seed, {
      workloads: web(3),
      faults: [
        ...eachNode({ fault: "runtime-away", forMs: 70 * second }),
        { fault: "kill-service", target: "controller-manager", atMs: 20 * second, forMs: 30 * second },
      ],
    }),

  /** The node's runtime fails while no controller-manager runs. */
  "a controller-manager finds a node down": (seed) =>
    aRun("a controller-manager finds a node down", seed, {
      workloads: web(3),
      faults: [
        { fault: "runtime-away", target: "node-1", atMs: second, forMs: 60 * second },
        { fault: "kill-service", target: "controller-manager", atMs: 20 * second, forMs: 25 * second },
      ],
    }),

  /** The profile in which evictions may begin on one node every ten seconds. */
  "two of five nodes fail at the same time": (seed) =>
    aRun("two of five nodes fail at the same time", seed, {
      nodes: 5,
      profile: "kubernetes",
      workloads: web(10),
      faults: ["node-1", "node-2"].map((target) => ({ fault: "cut-node", target, atMs: second, forMs: 90 * second })),
    }),

  /** Pods are deleted that are already terminating: their kubelets are down. */
  "pods are deleted twice": (seed) =>
    aRun("pods are deleted twice", seed, {
      workloads: web(4),
      faults: [
        ...eachNode({ fault: "kill-kubelet", forMs: 40 * second }),
        ...every(2 * second, 16, () => ({ fault: "delete-pod" })),
      ],
    }),

  "a node's clock jumps": (seed) =>
    aRun("a node's clock jumps", seed, {
      workloads: web(3),
      faults: [
        { fault: "clock-jump", target: "node-1", with: { byMs: -3_600_000 }, atMs: 3 * second, forMs: 20 * second },
        { fault: "clock-jump", target: "node-2", with: { byMs: 3_600_000 }, atMs: 5 * second, forMs: 20 * second },
      ],
    }),

  /** The API server, which could report the missed events to the kubelets, restarts, too. */
  "kubelets miss some of their pods": (seed) =>
    aRun("kubelets miss some of their pods", seed, {
      mode: "liveness",
      workloads: web(1),
      faults: [
        ...eachNode({ fault: "hide-events", with: { resource: "pods" }, forMs: 6 * second }),
        { ...scaleTo(9), atMs: 1500 },
        { fault: "kill-service", target: "api-server", atMs: 2500, forMs: second },
      ],
    }),

  "pods are force-deleted while their kubelets are down": (seed) =>
    aRun("pods are force-deleted while their kubelets are down", seed, {
      mode: "liveness",
      workloads: web(3),
      faults: eachNode({ fault: "force-delete-while-kubelet-down", forMs: 10 * second }),
    }),

  "containers crash": (seed) =>
    aRun("containers crash", seed, {
      nodes: 1,
      workloads: [{ name: "web", replicas: 2, script: "sleep 3; exit 1" }],
      faults: [],
      afterMs: 30 * second,
      world: { latencyMaxMs: 5 },
    }),

  "kubelets are killed": (seed) =>
    aRun("kubelets are killed", seed, {
      workloads: web(6),
      faults: every(4 * second, 3, (turn) => ({
        fault: "kill-kubelet",
        target: `node-${turn + 1}`,
        forMs: 2 * second,
      })),
    }),

  /** Both nodes have pods that a budget needs. */
  "nodes are tainted": (seed) =>
    aRun("nodes are tainted", seed, {
      workloads: [{ name: "web", replicas: 6, minAvailable: 5 }],
      faults: ["node-1", "node-2"].map((target) => ({
        fault: "taint-node",
        target,
        with: { effect: "NoExecute" },
        atMs: second,
        forMs: 20 * second,
      })),
    }),

  "a node with pods of a budget is drained": (seed) =>
    aRun("a node with pods of a budget is drained", seed, {
      mode: "liveness",
      workloads: [{ name: "web", replicas: 4, minAvailable: 3 }],
      faults: [{ fault: "drain", target: "node-1", atMs: second, forMs: 20 * second }],
    }),

  "the bus loses, duplicates and delays changes": (seed) =>
    aRun("the bus loses, duplicates and delays changes", seed, {
      mode: "liveness",
      workloads: web(3),
      faults: [
        { fault: "bus-in-disorder", atMs: 500, forMs: 30 * second },
        ...every(1500, 18, (turn) => (turn % 3 === 2 ? { fault: "delete-pod" } : scaleTo(2 + ((turn * 5) % 9)))),
      ],
    }),

  /** Each node is silent for longer than the grace period, and for less than its pods tolerate. */
  "nodes return in time": (seed) =>
    aRun("nodes return in time", seed, {
      workloads: web(6),
      faults: every(12 * second, 3, (turn) => ({
        fault: "cut-node",
        target: `node-${turn + 1}`,
        forMs: 7 * second,
      })),
      afterMs: 15 * second,
    }),
} as const satisfies Record<string, (seed: number) => PlannedRun>;
