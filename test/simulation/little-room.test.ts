import { cpuMillicores } from "@kintsugi/api";
import type { Scenario } from "@kintsugi/simulation";
import { drawScenario, simulateSeed } from "@kintsugi/simulator/factory";
import { expect, test } from "vitest";

const nodeMillicores = 4000;
const seeds = Array.from({ length: 200 }, (_, index) => index + 1);

/**
 * Returns the number of pods that its remaining nodes hold, and the number that may be wanted, with
 * one more of each for a rollout.
 */
function roomOf({ nodes, workloads, faults }: Scenario): { holds: number; wants: number } {
  const remaining = nodes.length - faults.filter(({ stays }) => stays).length;
  const ofNode = Math.floor(nodeMillicores / Math.max(...workloads.map(({ cpu }) => cpuMillicores(cpu))));
  let wants = 0;
  for (const { name, replicas, autoscale } of workloads) {
    const scaled = faults.filter(({ fault, target }) => fault === "scale" && target === name);
    wants +=
      1 +
      Math.max(replicas, autoscale?.max ?? 0, ...scaled.map(({ with: settings }) => Number(settings?.["replicas"])));
  }
  return { holds: ofNode * remaining, wants };
}

test("some drawn runs have few free resources, and otherwise equal the run with many free resources", () => {
  const tight = seeds.filter((seed) => {
    const [drawn, roomy] = [drawScenario(seed), drawScenario(seed, { littleRoom: false })];
    expect({ ...drawn, workloads: [] }).toEqual({ ...roomy, workloads: [] });
    return JSON.stringify(drawn) !== JSON.stringify(roomy);
  });
  expect(tight.length).toBeGreaterThan(seeds.length / 8);
  expect(tight.length).toBeLessThan(seeds.length / 2);
});

test("a load that must all run in the end has its resources with a surplus below one node; otherwise it has fewer", () => {
  let judged = 0;
  for (const seed of seeds) {
    const drawn = drawScenario(seed, { nodes: 3, littleRoom: true });
    // A daemon pod has no other node, so its run is never short of room.
    if (drawn.workloads.some(({ kind }) => kind === "DaemonSet")) continue;
    judged++;
    const { holds, wants } = roomOf(drawn);
    const [atLeast, below] = drawn.mode === "liveness" ? [wants, wants] : [0, 0.75 * wants];
    expect(holds, `seed ${seed}`).toBeGreaterThanOrEqual(atLeast);
    // A pod may request a little less than its share of a node, but never so little that another
    // pod fits.
    expect(holds, `seed ${seed}`).toBeLessThan(below + drawn.nodes.length);
    const important = drawn.workloads.filter(({ important: is }) => is).length;
    expect(important, `seed ${seed}`).toBeGreaterThan(0);
    expect(important, `seed ${seed}`).toBeLessThanOrEqual(Math.max(1, drawn.workloads.length - 1));
  }
  expect(judged).toBeGreaterThan(seeds.length / 2);
});

test("a single node has as many resources as before", () => {
  expect(drawScenario(1, { nodes: 1, littleRoom: true })).toEqual(drawScenario(1, { nodes: 1, littleRoom: false }));
});

test("in such a run pods are preempted correctly", { timeout: 240_000 }, async () => {
  const faults = ["drain", "kill-node", "taint-node"];
  const drawn = { seed: 2, nodes: 3, profile: "fast", durationMs: 60_000, faults } as const;
  const tight = await simulateSeed({ ...drawn, littleRoom: true });
  expect(tight.failure).toBeUndefined();
  expect(tight.checks["preemptors-are-more-important"]).toBeGreaterThan(0);
  const roomy = await simulateSeed({ ...drawn, littleRoom: false });
  expect(roomy.failure).toBeUndefined();
  expect(roomy.checks["preemptors-are-more-important"]).toBe(0);
});
