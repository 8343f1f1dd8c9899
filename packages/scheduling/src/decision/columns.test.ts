import type { Affinity, Node, PodAffinityTerm, PodSpec, Taint, TopologySpreadConstraint } from "@kintsugi/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ClusterState } from "../cluster-state/cluster-state.ts";
import { type PodInfo, podInfoOf } from "../cluster-state/pod-info.ts";
import { defaultPlugins } from "../default-plugins.ts";
import { aNode, aPod, type PodDetails, withoutColumns } from "../testing/builders.ts";
import { planPreemption } from "../preemption/plan-preemption.ts";
import { decide } from "./decide.ts";
import { filterNodes } from "./filter-nodes.ts";
import { totalScores } from "./score-nodes.ts";

// The oracle is the plugins' checks of the nodes themselves, prepared again for each supposition.
// Columns have to lead to the same decisions, with the same reasons, and to the same preemptions.

/** Plugins that do not declare what their filters read. */
const oraclePlugins = defaultPlugins.map((plugin) => ({ ...plugin, filterReads: undefined }));

const zone = "topology.kubernetes.io/zone";
const zones = ["zone-0", "zone-1", "zone-2"] as const;
const required = "requiredDuringSchedulingIgnoredDuringExecution" as const;
const preferred = "preferredDuringSchedulingIgnoredDuringExecution" as const;
const mib = 2 ** 20;

/** Most pods and nodes lack most of these, because otherwise the rest would never be decisive. */
const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const taint = fc.record({
  key: fc.constantFrom("a", "b"),
  value: fc.constantFrom("", "x"),
  effect: fc.constantFrom("NoSchedule", "PreferNoSchedule", "NoExecute"),
}) as fc.Arbitrary<Taint>;

const node = fc.record({
  number: fc.nat(9),
  cordoned: fc.constantFrom(false, false, true),
  taints: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(taint, { maxLength: 2 })),
  cpu: fc.constantFrom<string>("0", "2", "2500m", "4"),
  memory: fc.constantFrom("0", "4Gi", "8Gi"),
  pods: fc.constantFrom("0", "2", "110", "110"),
  gpu: fc.constantFrom(undefined, "1"),
  zone: fc.constantFrom(undefined, ...zones),
  size: fc.constantFrom(undefined, "1", "5", "large"),
  os: fc.constantFrom(undefined, "linux", "linux", "windows"),
  images: fc.uniqueArray(fc.constantFrom("app:latest", "other:1"), { maxLength: 2 }),
});
type NodeDraw = typeof node extends fc.Arbitrary<infer T> ? T : never;

const requirement = fc.oneof(
  fc.record({
    key: fc.constantFrom(zone, "size", "none"),
    operator: fc.constantFrom("In" as const, "NotIn" as const),
    values: fc.uniqueArray(fc.constantFrom("zone-0", "zone-1", "5", "no one's"), { minLength: 1, maxLength: 2 }),
  }),
  fc.record({
    key: fc.constantFrom(zone, "size", "none"),
    operator: fc.constantFrom("Exists" as const, "DoesNotExist" as const),
  }),
  fc.record({
    key: fc.constant("size"),
    operator: fc.constantFrom("Gt" as const, "Lt" as const),
    values: fc.constantFrom(["3"], ["x"]),
  }),
);
const field = fc.record({
  key: fc.constant("metadata.name"),
  operator: fc.constantFrom("In" as const, "NotIn" as const),
  values: fc.constantFrom(["n1"], ["n2", "n3"]),
});
const nodeTerm = fc.oneof(
  { weight: 4, arbitrary: fc.record({ matchExpressions: fc.array(requirement, { maxLength: 2 }) }) },
  fc.record({ matchFields: fc.array(field, { minLength: 1, maxLength: 1 }) }),
);

const podTerm: fc.Arbitrary<PodAffinityTerm> = fc.record({
  topologyKey: fc.constantFrom(zone, "kubernetes.io/hostname", "none"),
  labelSelector: fc.constantFrom({ matchLabels: { app: "web" } }, { matchLabels: { app: "db" } }, {}),
  namespaces: fc.constantFrom([], [], ["default", "other"]),
  namespaceSelector: fc.constantFrom(undefined, undefined, {}, { matchLabels: { team: "x" } }),
}) as fc.Arbitrary<PodAffinityTerm>;
const weighted = fc.record({ weight: fc.constantFrom(1, 7, 100), podAffinityTerm: podTerm });
const podTerms = fc.record(
  { [required]: fc.array(podTerm, { maxLength: 2 }), [preferred]: fc.array(weighted, { maxLength: 2 }) },
  { requiredKeys: [] },
);

const constraint = fc.record(
  {
    topologyKey: fc.constantFrom(zone, zone, "kubernetes.io/hostname", "none"),
    maxSkew: fc.constantFrom(1, 2),
    whenUnsatisfiable: fc.constantFrom("DoNotSchedule" as const, "ScheduleAnyway" as const),
    labelSelector: fc.constantFrom({ matchLabels: { app: "web" } }, { matchLabels: { app: "db" } }),
    nodeAffinityPolicy: fc.constantFrom("Honor" as const, "Ignore" as const),
    nodeTaintsPolicy: fc.constantFrom("Honor" as const, "Ignore" as const),
    minDomains: fc.constantFrom(1, 3),
  },
  { requiredKeys: ["topologyKey", "maxSkew", "whenUnsatisfiable", "labelSelector"] },
) as fc.Arbitrary<TopologySpreadConstraint>;

const affinity = fc.record(
  {
    nodeAffinity: fc.record(
      {
        [required]: fc.record({ nodeSelectorTerms: fc.array(nodeTerm, { minLength: 1, maxLength: 2 }) }),
        [preferred]: fc.array(fc.record({ weight: fc.constantFrom(1, 50), preference: nodeTerm }), { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
    podAffinity: podTerms,
    podAntiAffinity: podTerms,
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Affinity>;

const demands = {
  cpu: fc.constantFrom<string | undefined>(undefined, "0", "100m", "1", "3"),
  memory: fc.constantFrom(undefined, "100Mi", "1Gi", "3Gi"),
  gpu: fc.constantFrom(undefined, undefined, "1"),
  port: fc.constantFrom(
    undefined,
    { hostPort: 80 },
    ...["10.0.0.1", "10.0.0.2"].map((ip) => ({ hostPort: 80, hostIP: ip })),
  ),
  nodeSelector: fc.constantFrom(undefined, { [zone]: "zone-0" }, { size: "5", [zone]: "zone-1" }),
  os: fc.constantFrom(undefined, "linux" as const, "windows" as const),
  affinity: seldom(affinity),
  spread: seldom(fc.array(constraint, { minLength: 1, maxLength: 2 })),
};
type Demand = keyof typeof demands;
const nothing = fc.constant(undefined);

/**
 * A pod that demands all of this at the same time never fits, so most pods have one or two demands.
 */
const pod = fc.subarray(Object.keys(demands) as Demand[], { maxLength: 3 }).chain((chosen) => {
  const one = <D extends Demand>(demand: D): (typeof demands)[D] =>
    chosen.includes(demand) ? demands[demand] : (nothing as unknown as (typeof demands)[D]);
  return fc.record({
    app: fc.constantFrom("web", "db"),
    namespace: fc.constantFrom("default", "default", "other"),
    owner: fc.constantFrom(undefined, "x", "y"),
    priority: fc.constantFrom<number>(0, 0, 10),
    tolerates: fc.constantFrom(undefined, "a", "b", "cordon", "all"),
    cpu: one("cpu"),
    memory: one("memory"),
    gpu: one("gpu"),
    port: one("port"),
    nodeSelector: one("nodeSelector"),
    os: one("os"),
    affinity: one("affinity"),
    spread: one("spread"),
  });
});
type PodDraw = typeof pod extends fc.Arbitrary<infer T> ? T : never;

/** A change of the cluster between two decisions. */
const step = fc.oneof(
  fc.record({ do: fc.constant("put node" as const), node }),
  fc.record({ do: fc.constant("remove node" as const), number: fc.nat(9) }),
  fc.record({ do: fc.constant("remove pod" as const), number: fc.nat(20) }),
  fc.record({ do: fc.constant("nominate" as const), pod, number: fc.nat(9) }),
  { weight: 6, arbitrary: fc.record({ do: fc.constant("decide" as const), pod, tieBreaker: fc.nat(99) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Runs the steps on a cluster, and compares each decision. Returns which steps found a node. */
function live(state: ClusterState, steps: readonly Step[]): boolean[] {
  return steps.flatMap((each, i) => {
    switch (each.do) {
      case "put node":
        state.putNode(drawnNode(each.node));
        return [];
      case "remove node":
        state.removeNode(`n${each.number}`);
        return [];
      case "remove pod":
        state.removePod(`uid-p${each.number}`);
        return [];
      case "nominate":
        state.nominate(podInfoOf(aPod(`p${i}`, drawnPod(each.pod))), `n${each.number}`);
        return [];
      case "decide":
        return [decideBoth(state, each, i)];
    }
  });
}

/** The number of preemptions that were planned. */
let plans = 0;

function aState(): ClusterState {
  const state = new ClusterState();
  state.putNamespace({ metadata: { name: "default", labels: { team: "x" } } });
  state.putNamespace({ metadata: { name: "other" } });
  return state;
}

describe("a decision by columns", () => {
  test("equals the decision by the nodes themselves, with the same scores and reasons", () => {
    const placed: boolean[] = [];
    fc.assert(
      fc.property(
        fc.array(node, { minLength: 4, maxLength: 10 }),
        fc.array(step, { minLength: 20, maxLength: 40 }),
        (nodes, steps) => {
          const state = aState();
          for (const [number, each] of nodes.entries()) state.putNode(drawnNode({ ...each, number }));
          placed.push(...live(state, steps));
        },
      ),
      { numRuns: 100 },
    );
    expect(placed.length).toBeGreaterThan(1_000);
    expect(placed.filter(Boolean).length).toBeGreaterThan(placed.length / 5);
  });

  test("leads to the same preemptions, even next to nominated pods", () => {
    plans = 0;
    fc.assert(
      fc.property(
        fc.array(pod, { minLength: 8, maxLength: 16 }),
        fc.array(fc.tuple(pod, seldom(podTerm), seldom(constraint)), { minLength: 6, maxLength: 12 }),
        (placed, wanted) => {
          const state = aState();
          for (let number = 0; number < 5; number++)
            state.putNode(drawnNode({ ...plainNode, number, zone: zones[number % 3], cpu: "2500m" }));
          for (const [i, each] of placed.entries())
            state.putPod(podInfoOf(aPod(`placed-${i}`, drawnPod({ ...each, cpu: "1", priority: i % 3 }))), `n${i % 5}`);
          const decide = { do: "decide" as const, tieBreaker: 7 };
          live(
            state,
            wanted.map(([each, apart, spread], i) => ({
              ...decide,
              pod: {
                ...each,
                cpu: "1",
                priority: 5 + (i % 3),
                affinity: apart === undefined ? each.affinity : { podAntiAffinity: { [required]: [apart] } },
                spread: spread === undefined ? each.spread : [spread],
              },
            })),
          );
        },
      ),
      { numRuns: 60 },
    );
    expect(plans).toBeGreaterThan(100);
  });

  test("is the same if so many nodes have pods that they are counted by row", () => {
    const placed: boolean[] = [];
    fc.assert(
      fc.property(fc.array(pod, { minLength: 2, maxLength: 3 }), fc.array(step, { maxLength: 8 }), (pods, steps) => {
        const state = aState();
        for (let number = 0; number < 100; number++) {
          const size = number % 4 === 0 ? "5" : undefined;
          state.putNode(drawnNode({ ...plainNode, number, zone: zones[number % 3], size }));
          const drawn = pods[number % pods.length] as PodDraw;
          if (number % 5 < 4) state.putPod(podInfoOf(aPod(`placed-${number}`, drawnPod(drawn))), `n${number}`);
        }
        placed.push(
          ...live(state, [...pods.map((each) => ({ do: "decide" as const, pod: each, tieBreaker: 7 })), ...steps]),
        );
      }),
      { numRuns: 25 },
    );
    expect(placed.filter(Boolean).length).toBeGreaterThan(20);
  });

  test("handles more nodes than the initial rows, and drops removed nodes", () => {
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

/**
 * Decides with and without columns, and places the pod, or plans room for it. Returns whether it
 * fits.
 */
function decideBoth(state: ClusterState, drawn: { pod: PodDraw; tieBreaker: number }, number: number): boolean {
  const info = podInfoOf(aPod(`p${number}`, drawnPod(drawn.pod)));
  const oracle = withoutColumns(state);
  const options = { plugins: defaultPlugins, tieBreaker: drawn.tieBreaker / 100 };
  const expected = filterNodes(info, oracle, { ...options, plugins: oraclePlugins });
  const filtered = filterNodes(info, state, options);
  expect(filtered.feasible.map(({ name }) => name)).toEqual(expected.feasible.map(({ name }) => name));
  expect(filtered.rejections()).toEqual(expected.rejections());
  const scored = { ...options, feasible: filtered.feasible };
  expect([...totalScores(info, state, scored)]).toEqual([...totalScores(info, oracle, scored)]);
  const decision = decide(info, state, options);
  expect(decision).toEqual(decide(info, oracle, options));
  if (decision.placed) state.assume(info, decision.node);
  else planBoth(state, info, options);
  return decision.placed;
}

function planBoth(state: ClusterState, info: PodInfo, options: Parameters<typeof decide>[2]): void {
  const oracle = withoutColumns(state);
  const rejections = filterNodes(info, state, options).rejections();
  const plan = planPreemption(info, state, { ...options, rejections, budgets: [] });
  expect(plan).toEqual(planPreemption(info, oracle, { ...options, rejections, budgets: [], plugins: oraclePlugins }));
  if (plan.is !== "preempt") return;
  plans++;
  state.nominate(info, plan.nodeName);
}

const plainNode: NodeDraw = {
  number: 0,
  cordoned: false,
  taints: [],
  cpu: "4",
  memory: "8Gi",
  pods: "110",
  gpu: undefined,
  zone: undefined,
  size: undefined,
  os: undefined,
  images: [],
};

function drawnNode({ number, cordoned, taints, cpu, memory, pods, gpu, images, ...labels }: NodeDraw): Node {
  const { zone: inZone, size, os } = labels;
  const all = { [zone]: inZone, size, "kubernetes.io/os": os };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  return aNode(`n${number}`, {
    labels: Object.fromEntries(given) as Record<string, string>,
    allocatable: { cpu, memory, pods, ...(gpu === undefined ? {} : { gpu }) },
    spec: { taints: [...taints], ...(cordoned ? { unschedulable: true } : {}) },
    images: images.map((name) => ({ names: [name], sizeBytes: (100 + 200 * (number % 3)) * mib })),
  });
}

function drawnPod({ app, cpu, memory, gpu, tolerates, port, spread, ...drawn }: PodDraw): PodDetails {
  const requests = Object.entries({ cpu, memory, gpu }).filter(([, amount]) => amount !== undefined);
  const spec: Partial<PodSpec> = {
    priority: drawn.priority,
    ...(tolerates === undefined ? {} : { tolerations: [tolerationOf(tolerates)] }),
    ...(drawn.nodeSelector === undefined ? {} : { nodeSelector: drawn.nodeSelector as Record<string, string> }),
    ...(drawn.os === undefined ? {} : { os: { name: drawn.os } }),
    ...(drawn.affinity === undefined ? {} : { affinity: drawn.affinity }),
    ...(spread === undefined ? {} : { topologySpreadConstraints: spread }),
    ...(port === undefined ? {} : { initContainers: [sidecarWith(port)] }),
  };
  return {
    namespace: drawn.namespace,
    labels: { app },
    ...(drawn.owner === undefined ? {} : { owner: drawn.owner }),
    requests: Object.fromEntries(requests) as Record<string, string>,
    spec,
  };
}

function sidecarWith(port: { hostPort: number; hostIP?: string }) {
  return {
    name: "proxy",
    image: "other:1",
    restartPolicy: "Always" as const,
    ports: [{ containerPort: 80, ...port }],
  };
}

function tolerationOf(tolerates: string) {
  if (tolerates === "all") return { operator: "Exists" as const };
  const key = tolerates === "cordon" ? "node.kubernetes.io/unschedulable" : tolerates;
  return { key, operator: "Exists" as const };
}
