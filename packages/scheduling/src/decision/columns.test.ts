import type { Node, Taint } from "@kintsugi/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ClusterState } from "../cluster-state/cluster-state.ts";
import { podInfoOf } from "../cluster-state/pod-info.ts";
import { defaultPlugins } from "../default-plugins.ts";
import { aNode, aPod, type PodDetails, withoutColumns } from "../testing/builders.ts";
import { decide } from "./decide.ts";
import { filterNodes } from "./filter-nodes.ts";
import { totalScores } from "./score-nodes.ts";

// The plugins' way over the nodes themselves is the oracle: columns have to lead to the same
// decisions, with the same reasons.

const zone = "topology.kubernetes.io/zone";
const taint = fc.record({
  key: fc.constantFrom("a", "b"),
  value: fc.constantFrom("", "x"),
  effect: fc.constantFrom("NoSchedule", "PreferNoSchedule", "NoExecute"),
}) as fc.Arbitrary<Taint>;

const node = fc.record({
  number: fc.nat(9),
  cordoned: fc.boolean(),
  taints: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(taint, { maxLength: 2 })),
  cpu: fc.constantFrom("0", "2", "2500m", "4"),
  memory: fc.constantFrom("0", "4Gi", "8Gi"),
  pods: fc.constantFrom("0", "2", "110"),
  gpu: fc.constantFrom(undefined, "1"),
});
type NodeDraw = typeof node extends fc.Arbitrary<infer T> ? T : never;

const pod = fc.record({
  cpu: fc.constantFrom(undefined, "0", "100m", "1", "3"),
  memory: fc.constantFrom(undefined, "100Mi", "1Gi", "3Gi"),
  gpu: fc.constantFrom(undefined, undefined, "1"),
  tolerates: fc.constantFrom(undefined, "a", "b", "cordon", "all"),
  zone: fc.constantFrom(undefined, undefined, "zone-0"),
  spreads: fc.boolean(),
  repels: fc.boolean(),
});
type PodDraw = typeof pod extends fc.Arbitrary<infer T> ? T : never;

/** A change of the cluster between two decisions. */
const step = fc.oneof(
  fc.record({ do: fc.constant("put node" as const), node }),
  fc.record({ do: fc.constant("remove node" as const), number: fc.nat(9) }),
  fc.record({ do: fc.constant("remove pod" as const), number: fc.nat(20) }),
  { weight: 4, arbitrary: fc.record({ do: fc.constant("decide" as const), pod, tieBreaker: fc.nat(99) }) },
);

describe("a decision by columns", () => {
  test("is the one that the nodes themselves lead to, with the same scores and the same reasons", () => {
    let decisions = 0;
    let placed = 0;
    fc.assert(
      fc.property(
        fc.array(node, { minLength: 1, maxLength: 8 }),
        fc.array(step, { minLength: 20, maxLength: 40 }),
        (nodes, steps) => {
          const state = new ClusterState();
          state.putNamespace({ metadata: { name: "default" } });
          for (const each of nodes) state.putNode(drawnNode(each));
          for (const [i, each] of steps.entries()) {
            if (each.do === "put node") state.putNode(drawnNode(each.node));
            else if (each.do === "remove node") state.removeNode(`n${each.number}`);
            else if (each.do === "remove pod") state.removePod(`uid-p${each.number}`);
            else {
              decisions++;
              if (decideBoth(state, each, i)) placed++;
            }
          }
        },
      ),
      { numRuns: 120 },
    );
    expect(decisions).toBeGreaterThan(1_000);
    expect(placed).toBeGreaterThan(decisions / 10);
  });

  test("knows more nodes than there are rows at first, and forgets those that go", () => {
    const state = new ClusterState();
    for (let i = 0; i < 200; i++) state.putNode(aNode(`n${i}`));
    for (let i = 0; i < 150; i++) state.removeNode(`n${i}`);
    for (let i = 200; i < 260; i++) state.putNode(aNode(`n${i}`, { spec: { unschedulable: i % 2 === 0 } }));
    const info = podInfoOf(aPod("web", { requests: { cpu: "1" } }));
    const { feasible } = filterNodes(info, state, { plugins: defaultPlugins });
    expect(feasible).toHaveLength(80);
    expect(feasible.map(({ row }) => row)).toEqual([...new Set(feasible.map(({ row }) => row))]);
    expect(Math.max(...feasible.map(({ row }) => row))).toBeLessThan(200);
  });
});

/** Decides with and without columns, and places the pod. Returns whether it fits anywhere. */
function decideBoth(state: ClusterState, drawn: { pod: PodDraw; tieBreaker: number }, number: number): boolean {
  const info = podInfoOf(aPod(`p${number}`, drawnPod(drawn.pod)));
  const oracle = withoutColumns(state);
  const options = { plugins: defaultPlugins, tieBreaker: drawn.tieBreaker / 100 };
  const expected = filterNodes(info, oracle, options);
  const filtered = filterNodes(info, state, options);
  expect(filtered).toEqual(expected);
  const scored = { ...options, ...filtered };
  expect([...totalScores(info, state, scored)]).toEqual([...totalScores(info, oracle, scored)]);
  const decision = decide(info, state, options);
  expect(decision).toEqual(decide(info, oracle, options));
  if (decision.placed) state.assume(info, decision.node);
  return decision.placed;
}

function drawnNode({ number, cordoned, taints, cpu, memory, pods, gpu }: NodeDraw): Node {
  return aNode(`n${number}`, {
    labels: { [zone]: `zone-${number % 3}` },
    allocatable: { cpu, memory, pods, ...(gpu === undefined ? {} : { gpu }) },
    spec: { taints: [...taints], ...(cordoned ? { unschedulable: true } : {}) },
  });
}

function drawnPod({ cpu, memory, gpu, tolerates, zone: wanted, spreads, repels }: PodDraw): PodDetails {
  const requests = Object.entries({ cpu, memory, gpu }).filter(([, amount]) => amount !== undefined);
  const labels = { app: "web" };
  const labelSelector = { matchLabels: labels };
  return {
    labels,
    requests: Object.fromEntries(requests) as Record<string, string>,
    spec: {
      ...(tolerates === undefined ? {} : { tolerations: [tolerationOf(tolerates)] }),
      ...(wanted === undefined ? {} : { nodeSelector: { [zone]: wanted } }),
      ...(spreads
        ? {
            topologySpreadConstraints: [
              { labelSelector, topologyKey: zone, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" as const },
            ],
          }
        : {}),
      ...(repels
        ? {
            affinity: {
              podAntiAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [
                  { labelSelector, topologyKey: "kubernetes.io/hostname" },
                ],
              },
            },
          }
        : {}),
    },
  };
}

function tolerationOf(tolerates: string) {
  if (tolerates === "all") return { operator: "Exists" as const };
  const key = tolerates === "cordon" ? "node.kubernetes.io/unschedulable" : tolerates;
  return { key, operator: "Exists" as const };
}
