import { expect, test } from "vitest";
import { drawScenario, runScenario, simulateSeed } from "@kintsugi/simulator/factory";

// A few runs in every run of the tests; `npm run simulate` makes as many as there is time for.
test.for([1, 2, 3, 4])("seed %i: no invariant is violated, and the cluster recovers", async (seed, { task }) => {
  const { failure, changes } = await simulateSeed({ seed });
  expect(failure).toBeUndefined();
  expect(changes).toBeGreaterThan(100);
  task.meta.survived = { runs: 1 };
});

test("a seed identifies a run: it can be run again including its faults", async () => {
  const first = await simulateSeed({ seed: 21 });
  expect(first.void).toBeUndefined();
  expect(await simulateSeed({ seed: 21 })).toEqual(first);
});

test("a Node that was changed by a write with an unknown outcome is changed back", async () => {
  // Other clients do not write in the meantime, so it is the drain whose sync fails, and its record
  // is on the disk anyway.
  const { failure, faults, changes } = await runScenario({
    ...drawScenario(1, { nodes: 1, profile: "kubernetes" }),
    mode: "liveness",
    workloads: [{ name: "web", replicas: 1 }],
    world: { bus: true, leaderElection: false, latencyMaxMs: 0, operationsPerSecond: 0 },
    faults: [
      { fault: "kill-kubelet", atMs: 60_000, target: "node-1", forMs: 360_000 },
      { fault: "sync-fails", atMs: 300_000 },
      { fault: "drain", atMs: 330_000, target: "node-1", forMs: 1000 },
    ],
    durationMs: 400_000,
  });
  expect(faults).toMatchObject({ "sync-fails": { reached: 1 }, drain: { reached: 0 } });
  expect(changes).toBeGreaterThan(10);
  expect(failure).toBeUndefined();
});

test("a runtime that is down when the faults end is awaited, and is not a failure by itself", async () => {
  const { failure, faults } = await runScenario({
    ...drawScenario(1, { nodes: 1, profile: "fast" }),
    mode: "liveness",
    workloads: [{ name: "web", replicas: 1 }],
    world: { bus: true, leaderElection: false, latencyMaxMs: 0, operationsPerSecond: 0 },
    faults: [{ fault: "restart-runtime", atMs: 59_900, target: "node-1" }],
    durationMs: 60_000,
  });
  expect(faults).toMatchObject({ "restart-runtime": { reached: 1 } });
  expect(failure).toBeUndefined();
});
