import { type ApiObject, daemonSets, type PodSpec, priorityClasses } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";

// The workloads of upstream's scheduler_perf by their names: nodes of 4 cores and 32 GiB in three
// zones, pods of 100m and 500Mi.

export interface PerfWorkload {
  readonly name: string;
  /** The goals in pods per second at 1,000 and at 5,000 nodes. */
  readonly goals: readonly [small: number, large: number];
  /** Objects that the workload needs in addition to pods. */
  prepare?(client: Client): Promise<void>;
  /** The pods that exist before the measurement; not all of them need to be bound. */
  readonly initial?: { readonly perNode: number; readonly spec: Partial<PodSpec>; readonly stayPending?: boolean };
  /** The measured pods; undefined if `start` makes them. */
  readonly measured: Partial<PodSpec>;
  /** The number of measured pods for a number of nodes. */
  count(nodes: number, wanted: number): number;
  /** Makes the measured pods in one write instead. Returns a function that removes them. */
  start?(client: Client, labels: Readonly<Record<string, string>>): Promise<() => Promise<void>>;
  /** A controller creates its pods. */
  readonly needsControllers?: boolean;
  /**
   * The work of other clients during the measurement: they create and delete objects, or create
   * every 200 ms a pod that preempts other pods.
   */
  readonly meanwhile?: "churn" | "preemptors";
}

const colour = { color: "blue" };
const matching = { labelSelector: { matchLabels: colour } };
const zone = "topology.kubernetes.io/zone";
const hostname = "kubernetes.io/hostname";
const important = "bench-important";

/** Every workload's pods have this label. */
export const colourLabels = colour;

/** A pod that preempts pods of PreemptionBasic and PreemptionAsync. */
export const preemptor: Partial<PodSpec> = { ...withCpu("3"), priorityClassName: important };

const sameNodePreferred = {
  preferredDuringSchedulingIgnoredDuringExecution: [
    { weight: 1, podAffinityTerm: { ...matching, topologyKey: hostname } },
  ],
};

/** The nodes are full of pods that are less important than the preemptors. */
const fullOfVictims = {
  prepare: makePriorityClass,
  initial: { perNode: 4, spec: withCpu("900m") },
};

const asWanted = (_: number, wanted: number) => wanted;

export const perfWorkloads: readonly PerfWorkload[] = [
  { name: "SchedulingBasic", goals: [2_500, 2_000], measured: {}, count: asWanted },
  {
    name: "SchedulingNodeAffinity",
    goals: [1_500, 1_500],
    measured: {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: "In", values: ["zone-1", "zone-2"] }] }],
          },
        },
      },
    },
    count: asWanted,
  },
  {
    name: "TopologySpreading",
    goals: [1_500, 1_000],
    measured: {
      topologySpreadConstraints: [{ ...matching, topologyKey: zone, maxSkew: 5, whenUnsatisfiable: "DoNotSchedule" }],
    },
    count: asWanted,
  },
  {
    name: "SchedulingPodAffinity",
    goals: [1_500, 1_000],
    measured: {
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...matching, topologyKey: zone }] },
      },
    },
    count: asWanted,
  },
  {
    name: "SchedulingPodAntiAffinity",
    goals: [1_500, 1_000],
    measured: {
      affinity: {
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...matching, topologyKey: hostname }] },
      },
    },
    // Each pod uses a whole node.
    count: (nodes, wanted) => Math.min(wanted, Math.floor(nodes * 0.9)),
  },
  {
    name: "PreferredPodAffinity",
    goals: [1_500, 1_000],
    measured: {
      affinity: { podAffinity: sameNodePreferred },
    },
    count: asWanted,
  },
  {
    name: "PreferredPodAntiAffinity",
    goals: [1_500, 1_000],
    measured: {
      affinity: { podAntiAffinity: sameNodePreferred },
    },
    count: asWanted,
  },
  {
    name: "PreferredTopologySpreading",
    goals: [1_500, 1_000],
    measured: {
      topologySpreadConstraints: [{ ...matching, topologyKey: zone, maxSkew: 5, whenUnsatisfiable: "ScheduleAnyway" }],
    },
    count: asWanted,
  },
  {
    name: "PreemptionBasic",
    goals: [300, 1_000],
    ...fullOfVictims,
    measured: preemptor,
    count: (nodes, wanted) => Math.min(wanted, Math.floor(nodes / 2)),
  },
  {
    name: "PreemptionAsync",
    goals: [300, 1_000],
    ...fullOfVictims,
    measured: {},
    count: asWanted,
    meanwhile: "preemptors",
  },
  {
    name: "Unschedulable",
    goals: [1_500, 1_500],
    initial: { perNode: 0.2, spec: withCpu("100"), stayPending: true },
    measured: {},
    count: asWanted,
  },
  {
    name: "SchedulingDaemonset",
    needsControllers: true,
    goals: [1_500, 1_500],
    measured: {},
    count: (nodes) => nodes,
    start: async (client, labels) => {
      const key = { namespace: "default", name: "bench-daemons" };
      await client.create(daemonSets, {
        metadata: key,
        spec: {
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { ...podSpec({}), nodeSelector: { "kintsugi.dev/hollow": "true" } },
          },
        },
      } as Parameters<typeof client.create<ApiObject>>[1]);
      return () => client.delete(daemonSets, key);
    },
  },
  { name: "MixedChurn", goals: [1_500, 1_500], measured: {}, count: asWanted, meanwhile: "churn" },
];

/** The template's pod with changes. */
export function podSpec(changes: Partial<PodSpec>): PodSpec {
  const requests = { cpu: "100m", memory: "500Mi" };
  return {
    containers: [{ name: "pause", image: "registry.k8s.io/pause:3.9", resources: { requests } }],
    nodeSelector: { "kintsugi.dev/hollow": "true" },
    terminationGracePeriodSeconds: 0,
    ...changes,
  };
}

function withCpu(cpu: string): Partial<PodSpec> {
  return {
    containers: [
      { name: "pause", image: "registry.k8s.io/pause:3.9", resources: { requests: { cpu, memory: "500Mi" } } },
    ],
  };
}

async function makePriorityClass(client: Client): Promise<void> {
  const key = { namespace: "", name: important };
  if ((await client.find(priorityClasses, key)) !== undefined) return;
  await client.create(priorityClasses, { metadata: { name: important }, value: 1_000 });
}
