import type { Node, Pod, PodSpec } from "@kintsugi/api";
import { ClusterState, decide, defaultPlugins, podInfoOf } from "@kintsugi/scheduling";
import { describeSamples } from "../distribution.ts";
import type { Figure } from "../figure.ts";

// Only the decisions are measured, in process, without API, queue or binding, because they are the
// part of the scheduler that grows with the cluster. Clusters and pods are the clusters and pods of
// upstream's scheduler_perf: nodes of 4 cores and 32 GiB in three zones, one and a half pods placed
// on each.

const zone = "topology.kubernetes.io/zone";
const hostname = "kubernetes.io/hostname";
const colour = { color: "blue" };
const nodeCounts = [1_000, 5_000] as const;
/** The goal at 2,500 pods/s with 5,000 nodes: the decision may take half of a core's time. */
const goalMs = 0.2;

type Demand = Pick<PodSpec, "affinity" | "topologySpreadConstraints">;

const matching = { labelSelector: { matchLabels: colour } };
const near = (topologyKey: string) => ({ ...matching, topologyKey });

/** The templates by scheduler_perf's names. */
const workloads: Readonly<Record<string, Demand>> = {
  SchedulingBasic: {},
  TopologySpreading: {
    topologySpreadConstraints: [{ ...near(zone), maxSkew: 5, whenUnsatisfiable: "DoNotSchedule" }],
  },
  SchedulingPodAffinity: {
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near(zone)] } },
  },
  SchedulingPodAntiAffinity: {
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near(hostname)] } },
  },
  SchedulingPreferredPodAffinity: {
    affinity: {
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: near(hostname) }],
      },
    },
  },
};

/** The time of one decision, each of which is followed by its pod's placement. */
export function measureDecisions(decisions: number): Figure[] {
  return nodeCounts.flatMap((nodes) =>
    Object.entries(workloads).map(([name, demand]) => {
      const state = clusterOf(nodes, demand);
      const samples: number[] = [];
      for (let i = 0; i < decisions; i++) {
        const pod = podInfoOf(aPod(`measured-${i}`, demand));
        const startedMs = performance.now();
        const decision = decide(pod, state, { plugins: defaultPlugins, tieBreaker: (i * 0.618) % 1 });
        samples.push(performance.now() - startedMs);
        if (!decision.placed) throw new Error(`${name}: pod ${i} fits on none of ${nodes} nodes`);
        state.assume(pod, decision.node);
      }
      const { p50, min, p99 } = describeSamples(samples);
      return {
        id: `schedule.decide.${name}.${nodes}`,
        what: `decide, ${name}, ${nodes} nodes, p50`,
        value: p50,
        unit: "ms" as const,
        ...(nodes === 5_000 ? { goal: goalMs } : {}),
        detail: `${decisions} decisions, fastest ${(min * 1000).toFixed(0)} µs, p99 ${(p99 * 1000).toFixed(0)} µs`,
      };
    }),
  );
}

function clusterOf(nodes: number, demand: Demand): ClusterState {
  const state = new ClusterState();
  state.putNamespace({ metadata: { name: "default" } });
  for (let i = 0; i < nodes; i++) state.putNode(aNode(`node-${i}`, `zone-${i % 3}`));
  // Pods with anti-affinity to each other use a node each, and some nodes have to be free.
  const isExclusive = demand.affinity?.podAntiAffinity !== undefined;
  const placed = isExclusive ? nodes * 0.6 : nodes * 1.5;
  for (let i = 0; i < placed; i++) state.putPod(podInfoOf(aPod(`placed-${i}`, demand)), `node-${(i * 7919) % nodes}`);
  return state;
}

function aNode(name: string, inZone: string): Node {
  return {
    metadata: { name, labels: { [hostname]: name, [zone]: inZone } },
    spec: {},
    status: { allocatable: { cpu: "4", memory: "32Gi", pods: "110" } },
  };
}

function aPod(name: string, demand: Demand): Pod {
  const requests = { cpu: "100m", memory: "500Mi" };
  return {
    metadata: { name, namespace: "default", uid: name, labels: colour },
    spec: {
      containers: [{ name: "pause", image: "registry.k8s.io/pause:3.10.1", resources: { requests } }],
      ...demand,
    },
  };
}
