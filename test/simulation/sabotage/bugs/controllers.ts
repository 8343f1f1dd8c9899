import type { PlantedBug } from "../planted-bug.ts";

const manager = "apps/controller-manager/src";

/** Of the controllers. */
export const controllerBugs: readonly PlantedBug[] = [
  {
    name: "the ReplicaSet controller does not wait until its cache shows what it has created",
    file: "packages/controller/src/expectations.ts",
    find: "this.#touch(key).creations.add(name);",
    replace: "",
    caughtBy: "S12",
    life: "a set grows",
    seed: 2,
  },
  {
    name: "a renewed Lease is no sign of life",
    file: `${manager}/node-lifecycle/node-health.ts`,
    find: "if (leaseChanged || heartbeatChanged) known.heardMs = nowMs;",
    replace: "if (heartbeatChanged) known.heardMs = nowMs;",
    caughtBy: "L4",
    life: "nothing happens",
    seed: 1,
  },
  {
    name: "a controller-manager evicts although it has just begun to look",
    file: `${manager}/node-lifecycle/node-reconciler.ts`,
    find: "if (knownForMs < this.#graceMs) return",
    replace: "if (knownForMs < 0) return",
    caughtBy: "S25",
    life: "a controller-manager finds a node down",
    seed: 1,
  },
  {
    name: "evictions go on when all zones are down",
    file: `${manager}/node-lifecycle/zones.ts`,
    find: 'states.length > 0 && states.every(({ state }) => state === "full")',
    replace: "states.length < 0",
    caughtBy: "S25",
    life: "all nodes fail",
    seed: 1,
  },
  {
    name: "evictions are not limited to a rate",
    file: `${manager}/node-lifecycle/eviction-limiter.ts`,
    find: "first === node && queue.tokens >= 1 &&",
    replace: "first === node &&",
    caughtBy: "S25",
    life: "two nodes of five fail at once",
    seed: 1,
  },
  {
    name: "tolerations end a fifth too early",
    file: `${manager}/taint-eviction/plan.ts`,
    find: "Math.max(0, toleration.tolerationSeconds) * 1000",
    replace: "Math.max(0, toleration.tolerationSeconds) * 800",
    caughtBy: "L5",
    life: "nodes are away",
    seed: 2,
  },
  {
    name: "pods of a node that is down are said to be not ready again and again",
    file: `${manager}/node-lifecycle/pods-not-ready.ts`,
    find: "if (!next || this.#markedFor.get(key) === occasion) return done;",
    replace: "if (!next) return done;",
    caughtBy: "no circle",
    life: "a runtime is away",
    seed: 1,
  },
];
