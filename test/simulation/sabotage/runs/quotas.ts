import { aRun, every, type PlannedRun, scaleTo, second } from "./plot.ts";

/** The runs of namespaces with a quota. */
export const quotaRuns = {
  /** Many creates compete for the last places, and the API server restarts in between. */
  "a quota is too small for a set that grows": (seed) =>
    aRun("a quota is too small for a set that grows", seed, {
      workloads: [
        { name: "web", replicas: 2, cpu: "100m" },
        { name: "db", kind: "StatefulSet", replicas: 2, parallel: true, cpu: "100m" },
      ],
      faults: [
        ...every(4 * second, 6, (turn) => scaleTo(turn % 2 === 0 ? 12 : 3)),
        { fault: "kill-service", target: "api-server", atMs: 9 * second, forMs: second },
        { fault: "scale", target: "db", with: { replicas: 8 }, atMs: 13 * second },
      ],
      world: { quota: { pods: 9, cpu: "800m" }, leaderElection: false },
    }),

  /** Messages have no delay, so that creates of two controllers are decided together. */
  "concurrent creates use the last places of a quota": (seed) =>
    aRun("concurrent creates use the last places of a quota", seed, {
      workloads: [
        { name: "web", replicas: 2, cpu: "100m" },
        { name: "db", kind: "StatefulSet", replicas: 2, parallel: true, cpu: "100m" },
      ],
      faults: every(4 * second, 4, (turn) => scaleTo(turn % 2 === 0 ? 12 : 3)).flatMap((scaled) => [
        scaled,
        { ...scaled, target: "db" },
      ]),
      world: { quota: { pods: 9 }, latencyMaxMs: 0 },
    }),

  /** Just enough is allowed, so that every deleted pod has to make room for the next. */
  "a quota is sufficient for a set and its rollouts": (seed) =>
    aRun("a quota is sufficient for a set and its rollouts", seed, {
      mode: "liveness",
      workloads: [{ name: "web", kind: "Deployment", replicas: 4, cpu: "100m" }],
      faults: [
        { fault: "roll-out", target: "web", atMs: 5 * second },
        { fault: "kill-node", target: "node-1", atMs: 15 * second, forMs: 20 * second },
        { fault: "roll-out", target: "web", atMs: 45 * second },
        { fault: "roll-out", target: "web", atMs: 60 * second },
        { fault: "kill-service", target: "controller-manager", atMs: 61 * second, forMs: 3 * second },
      ],
      afterMs: 10 * second,
      world: { quota: { pods: 9, cpu: "900m" } },
    }),
} as const satisfies Record<string, (seed: number) => PlannedRun>;
