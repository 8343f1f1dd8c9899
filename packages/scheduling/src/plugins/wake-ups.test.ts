import type { Node, NodeSpec } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { type ClusterEvent, nodeChanges } from "../cluster-state/cluster-event.ts";
import type { Plugin } from "../framework/plugin.ts";
import { aNode, podInfo, type PodDetails } from "../testing/builders.ts";
import { interPodAffinity } from "./affinity/inter-pod-affinity.ts";
import { nodeAffinity } from "./node-affinity.ts";
import { nodeName } from "./node-name.ts";
import { nodeOs } from "./node-os.ts";
import { nodePorts } from "./node-ports.ts";
import { nodeUnschedulable } from "./node-unschedulable.ts";
import { resourcesFit } from "./resources-fit.ts";
import { taintToleration } from "./taint-toleration.ts";
import { topologySpread } from "./spread/topology-spread.ts";
import { volumeBinding } from "./volumes/volume-binding.ts";

const added = (node: Node): ClusterEvent => ({ is: "NodeAdd", node });
const changed = (before: Node, node: Node): ClusterEvent => ({
  is: "NodeUpdate",
  before,
  node,
  changed: nodeChanges(node, before),
});
const left = (details: PodDetails = {}): ClusterEvent => ({
  is: "AssignedPodDelete",
  pod: podInfo("gone", details),
  nodeName: "a",
});
const came = (details: PodDetails = {}): ClusterEvent => ({ is: "AssignedPodAdd", pod: podInfo("new", details) });
const spec = (part: NodeSpec) => aNode("a", { spec: part });
const taint = { key: "x", effect: "NoSchedule" as const };
const nearDb = {
  affinity: {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app: "db" } }, topologyKey: "zone" },
      ],
    },
  },
};

describe("the events that may help a pod that a plugin rejected", () => {
  test.each<[string, boolean, Plugin, PodDetails, ClusterEvent]>([
    ["the named node appears", true, nodeName, { spec: { nodeName: "a" } }, added(aNode("a"))],
    ["another node appears", false, nodeName, { spec: { nodeName: "a" } }, added(aNode("b"))],
    ["a node is uncordoned", true, nodeUnschedulable, {}, changed(spec({ unschedulable: true }), aNode("a"))],
    ["a node is cordoned", false, nodeUnschedulable, {}, changed(aNode("a"), spec({ unschedulable: true }))],
    ["a cordoned node appears", false, nodeUnschedulable, {}, added(spec({ unschedulable: true }))],
    [
      "a node of the pod's system appears",
      true,
      nodeOs,
      { spec: { os: { name: "windows" } } },
      added(aNode("b", { labels: { "kubernetes.io/os": "windows" } })),
    ],
    [
      "a node of another system appears",
      false,
      nodeOs,
      { spec: { os: { name: "windows" } } },
      added(aNode("b", { labels: { "kubernetes.io/os": "linux" } })),
    ],
    ["a taint is removed", true, taintToleration, {}, changed(spec({ taints: [taint] }), aNode("a"))],
    ["a taint is added", false, taintToleration, {}, changed(aNode("a"), spec({ taints: [taint] }))],
    ["a node without the taint appears", true, taintToleration, {}, added(aNode("b"))],
    ["another tainted node appears", false, taintToleration, {}, added(spec({ taints: [taint] }))],
    [
      "a node gets the label",
      true,
      nodeAffinity,
      { spec: { nodeSelector: { disk: "ssd" } } },
      changed(aNode("a"), aNode("a", { labels: { disk: "ssd" } })),
    ],
    [
      "a node gets another label",
      false,
      nodeAffinity,
      { spec: { nodeSelector: { disk: "ssd" } } },
      changed(aNode("a"), aNode("a", { labels: { disk: "hdd" } })),
    ],
    [
      "a pod is removed, which changes no label",
      false,
      nodeAffinity,
      { spec: { nodeSelector: { disk: "ssd" } } },
      left(),
    ],
    ["a pod with the port is removed", true, nodePorts, { hostPort: 80 }, left({ hostPort: 80 })],
    ["a pod with another port is removed", false, nodePorts, { hostPort: 80 }, left({ hostPort: 81 })],
    ["any pod is removed", true, resourcesFit, { requests: { cpu: "1" } }, left({ requests: { cpu: "1" } })],
    ["any pod is added", false, resourcesFit, { requests: { cpu: "1" } }, came()],
    ["a node that could run it is added", true, resourcesFit, { requests: { cpu: "3" } }, added(aNode("a"))],
    ["a node that could never run it is added", false, resourcesFit, { requests: { cpu: "5" } }, added(aNode("a"))],
    [
      "a node grows enough",
      true,
      resourcesFit,
      { requests: { cpu: "5" } },
      changed(aNode("a"), aNode("a", { allocatable: { cpu: "8" } })),
    ],
    [
      "a node changes its labels",
      false,
      resourcesFit,
      { requests: { cpu: "5" } },
      changed(aNode("a"), aNode("a", { labels: { x: "y" } })),
    ],
    ["a pod of its affinity is added", true, interPodAffinity, { spec: nearDb }, came({ labels: { app: "db" } })],
    ["a pod is added, but the pod has no affinity", false, interPodAffinity, {}, came()],
    ["the pod of its anti-affinity may be removed", true, interPodAffinity, {}, left()],
    ["a pod of its namespace is removed", true, topologySpread, {}, left()],
    ["a pod of another namespace is removed", false, topologySpread, {}, left({ namespace: "shop" })],
    ["a node is removed, and its domain with it", true, topologySpread, {}, { is: "NodeDelete", node: aNode("a") }],
    ["a node is added, for a pod without claims", false, volumeBinding, {}, added(aNode("a"))],
  ])("%s: %s", (_, ...[helps, plugin, details, event]) => {
    expect(plugin.mayHelp?.(podInfo("waiting", details), event)).toBe(helps);
  });

  test("a change of unused fields in a node's status is not an event", () => {
    const heartbeat = { ...aNode("a"), metadata: { ...aNode("a").metadata, resourceVersion: "7" } };
    expect(Object.values(nodeChanges(heartbeat, aNode("a")))).toEqual([false, false, false, false]);
  });
});
