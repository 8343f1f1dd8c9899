import type { Node, Pod } from "@kintsugi/api";
import { assert, describe, expect, test } from "vitest";
import type { ClusterState } from "../cluster-state/cluster-state.ts";
import { podInfoOf } from "../cluster-state/pod-info.ts";
import type { NodeScorer, Plugin } from "../framework/plugin.ts";
import { aCluster, aNode, aPod } from "../testing/builders.ts";
import { avoidNodes } from "./avoid-nodes.ts";
import { balancedAllocation } from "./balanced-allocation.ts";
import { imageLocality } from "./image-locality.ts";
import { interPodAffinity } from "./affinity/inter-pod-affinity.ts";
import { nodeAffinity } from "./node-affinity.ts";
import { resourcesFit } from "./resources-fit.ts";
import { taintToleration } from "./taint-toleration.ts";
import { topologySpread } from "./spread/topology-spread.ts";

interface Case {
  plugin: Plugin;
  pod: Pod;
  nodes: readonly Node[];
  placed?: Readonly<Record<string, readonly Pod[]>>;
  expected: readonly number[] | "indifferent";
}

const mib = 1024 * 1024;
const zoned = (name: string, zone: string) => aNode(name, { labels: { zone, "topology.kubernetes.io/zone": zone } });
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
const appTerm = (app: string, weight: number) => ({
  weight,
  podAffinityTerm: { labelSelector: { matchLabels: { app } }, topologyKey: "zone" },
});
const disliked = (key: string) => ({ key, effect: "PreferNoSchedule" as const });

const avoiding = (names: string): Pod => {
  const pod = aPod("web");
  return { ...pod, metadata: { ...pod.metadata, annotations: { "kintsugi.dev/avoid-nodes": names } } };
};

const cases: Record<string, Case> = {
  "AvoidNodes: where a pod that it replaces has failed is last": {
    plugin: avoidNodes,
    pod: avoiding("b,gone"),
    nodes: [aNode("a"), aNode("b"), aNode("c")],
    expected: [100, 0, 100],
  },
  "AvoidNodes: a pod that has failed nowhere does not mind": {
    plugin: avoidNodes,
    pod: aPod("web"),
    nodes: [aNode("a"), aNode("b")],
    expected: "indifferent",
  },
  "NodeResourcesFit: the free share after the pod, cpu and memory alike": {
    plugin: resourcesFit,
    pod: aPod("web", { requests: { cpu: "1", memory: "2Gi" } }),
    nodes: [aNode("empty"), aNode("half"), aNode("full")],
    placed: {
      half: [aPod("x", { requests: { cpu: "2", memory: "4Gi" } })],
      full: [aPod("y", { requests: { cpu: "4", memory: "4Gi" } })],
    },
    // (75 + 75) / 2, (25 + 25) / 2, (0 + 25) / 2
    expected: [75, 25, 12],
  },
  "NodeResourcesFit: containers that request nothing still count as small": {
    plugin: resourcesFit,
    pod: aPod("web"),
    nodes: [aNode("empty"), aNode("busy")],
    placed: { busy: [aPod("x"), aPod("y")] },
    // cpu 100m of 4: 97, memory 200Mi of 8Gi: 97; three of them: 92 and 92
    expected: [97, 92],
  },
  "NodeResourcesBalancedAllocation: even use is best": {
    plugin: balancedAllocation,
    pod: aPod("web", { requests: { cpu: "1", memory: "2Gi" } }),
    nodes: [aNode("even"), aNode("uneven")],
    placed: { uneven: [aPod("x", { requests: { cpu: "2" } })] },
    // shares 0.25 and 0.25; 0.75 and 0.25
    expected: [100, 75],
  },
  "NodeResourcesBalancedAllocation: a pod that requests nothing does not tilt anything": {
    plugin: balancedAllocation,
    pod: aPod("web"),
    nodes: [aNode("a"), aNode("b")],
    expected: "indifferent",
  },
  "TaintToleration: fewer disliked taints are better, tolerated ones do not count": {
    plugin: taintToleration,
    pod: aPod("web", { spec: { tolerations: [{ key: "old", operator: "Exists" }] } }),
    nodes: [
      aNode("clean"),
      aNode("one", { spec: { taints: [disliked("slow"), disliked("old")] } }),
      aNode("two", { spec: { taints: [disliked("slow"), disliked("far")] } }),
    ],
    expected: [100, 50, 0],
  },
  "TaintToleration: without disliked taints all nodes are alike": {
    plugin: taintToleration,
    pod: aPod("web"),
    nodes: [aNode("a"), aNode("b")],
    expected: "indifferent",
  },
  "NodeAffinity: the weights of the preferences that match, stretched to 100": {
    plugin: nodeAffinity,
    pod: aPod("web", {
      spec: {
        affinity: {
          nodeAffinity: {
            [preferred]: [
              { weight: 30, preference: { matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] } },
              { weight: 10, preference: { matchExpressions: [{ key: "gpu", operator: "Exists" }] } },
            ],
          },
        },
      },
    }),
    nodes: [
      aNode("none"),
      aNode("ssd", { labels: { disk: "ssd" } }),
      aNode("both", { labels: { disk: "ssd", gpu: "" } }),
    ],
    expected: [0, 75, 100],
  },
  "PodTopologySpread: one controller's pods prefer nodes with fewer of them": {
    plugin: topologySpread,
    pod: aPod("new", { owner: "rs" }),
    nodes: [aNode("a"), aNode("b"), aNode("c")],
    placed: {
      a: [aPod("x", { owner: "rs" }), aPod("y", { owner: "rs" })],
      b: [aPod("z", { owner: "rs" })],
      c: [aPod("w", { owner: "other" })],
    },
    // 2·ln 5 + 2 = 5.2, ln 5 + 2 = 3.6, 2: rounded 5, 4, 2 and mirrored
    expected: [40, 60, 100],
  },
  "PodTopologySpread: and zones with fewer of them": {
    plugin: topologySpread,
    pod: aPod("new", { owner: "rs" }),
    nodes: [zoned("a1", "a"), zoned("a2", "a"), zoned("b1", "b")],
    placed: { a1: [aPod("x", { owner: "rs" })] },
    expected: [66, 88, 100],
  },
  "PodTopologySpread: a pod without an owner is placed on any node": {
    plugin: topologySpread,
    pod: aPod("new"),
    nodes: [aNode("a"), aNode("b")],
    expected: "indifferent",
  },
  "PodTopologySpread: a pod's own preferences replace the defaults, and nodes without the label get nothing": {
    plugin: topologySpread,
    pod: aPod("new", {
      owner: "rs",
      labels: { app: "web" },
      spec: {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: "zone",
            whenUnsatisfiable: "ScheduleAnyway",
            labelSelector: { matchLabels: { app: "web" } },
          },
        ],
      },
    }),
    nodes: [zoned("a1", "a"), zoned("b1", "b"), aNode("nowhere")],
    placed: { a1: [aPod("x", { labels: { app: "web" } })] },
    expected: [0, 100, 0],
  },
  "InterPodAffinity: preferred pods attract, avoided pods repel": {
    plugin: interPodAffinity,
    pod: aPod("new", {
      spec: {
        affinity: {
          podAffinity: { [preferred]: [appTerm("db", 10)] },
          podAntiAffinity: { [preferred]: [appTerm("noisy", 5)] },
        },
      },
    }),
    nodes: [zoned("a1", "a"), zoned("b1", "b"), zoned("c1", "c")],
    placed: { a1: [aPod("db", { labels: { app: "db" } })], b1: [aPod("noisy", { labels: { app: "noisy" } })] },
    // 10, -5, 0
    expected: [100, 0, 33],
  },
  "InterPodAffinity: pods that are there attract and repel as well": {
    plugin: interPodAffinity,
    pod: aPod("new", { labels: { app: "web" } }),
    nodes: [zoned("a1", "a"), zoned("b1", "b"), zoned("c1", "c")],
    placed: {
      a1: [aPod("friend", { spec: { affinity: { podAffinity: { [preferred]: [appTerm("web", 4)] } } } })],
      b1: [aPod("foe", { spec: { affinity: { podAntiAffinity: { [preferred]: [appTerm("web", 4)] } } } })],
    },
    expected: [100, 0, 50],
  },
  "InterPodAffinity: no pod has a preference": {
    plugin: interPodAffinity,
    pod: aPod("new"),
    nodes: [aNode("a"), aNode("b")],
    placed: { a: [aPod("x")] },
    expected: "indifferent",
  },
  "ImageLocality: a node that has the image is better, the more so the bigger it is": {
    plugin: imageLocality,
    pod: aPod("web"),
    nodes: [
      aNode("has", { images: [{ names: ["app:latest"], sizeBytes: 1023 * mib }] }),
      aNode("also", { images: [{ names: ["app:latest"], sizeBytes: 1023 * mib }] }),
      aNode("not"),
    ],
    // Two of three nodes have it: 682 MiB count, between 23 and 1000.
    expected: [67, 67, 0],
  },
  "ImageLocality: an image that no node has": {
    plugin: imageLocality,
    pod: aPod("web"),
    nodes: [aNode("a"), aNode("b")],
    expected: "indifferent",
  },
};

describe("scores", () => {
  test.each(Object.entries(cases))("%s", (_, { plugin, pod, nodes, placed, expected }) => {
    const cluster = aCluster(nodes, placed);
    const scorer = plugin.score?.prepare(podInfoOf(pod), cluster, cluster.nodes) ?? "indifferent";
    expect(scorer === "indifferent" ? scorer : scoresOf(scorer, cluster)).toEqual(expected);
  });
});

/** The scores from the nodes themselves, which columns have to return too. */
function scoresOf(scorer: NodeScorer, { nodes, columns }: ClusterState): number[] {
  const scores = Float64Array.from(nodes, (node) => scorer.score(node));
  const byRows = scores.slice();
  const rows = Int32Array.from(nodes, ({ row }) => row);
  scorer.scoreRows?.(columns, rows, byRows.fill(0));
  assert.deepEqual(scorer.scoreRows === undefined ? scores : byRows, scores);
  scorer.rescale?.(scores);
  return [...scores];
}
