import type { Node, Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { podInfoOf } from "../cluster-state/pod-info.ts";
import { filterNodes } from "../decision/filter-nodes.ts";
import { rejectionText } from "../framework/rejection-reason.ts";
import { defaultPlugins } from "../default-plugins.ts";
import { aCluster, aNode, aPod } from "../testing/builders.ts";

interface Case {
  pod: Pod;
  nodes: readonly Node[];
  placed?: Readonly<Record<string, readonly Pod[]>>;
  /** The reasons for which each node is rejected. */
  expected: Readonly<Record<string, readonly string[] | undefined>>;
  /** The rejected nodes on which evicting pods might help. */
  evictionMayHelp?: readonly string[];
  /** The feasible nodes; if absent, the nodes that are not rejected. */
  feasible?: readonly string[];
  /** Nodes that are not inspected. */
  passedOver?: { count: number; because: readonly string[] };
}

const cordoned = { spec: { unschedulable: true } };
const zoned = (name: string, zone: string) => aNode(name, { labels: { zone } });
const tainted = (name: string, effect: "NoSchedule" | "NoExecute" | "PreferNoSchedule", value?: string) =>
  aNode(name, { spec: { taints: [{ key: "dedicated", effect, ...(value === undefined ? {} : { value }) }] } });

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const app = (name: string) => ({ labelSelector: { matchLabels: { app: name } }, topologyKey: "zone" });
const wantsNear = (name: string) => ({ affinity: { podAffinity: { [required]: [app(name)] } } });
const wantsFar = (name: string) => ({ affinity: { podAntiAffinity: { [required]: [app(name)] } } });
const nodeAffinityOf = (...nodeSelectorTerms: object[]) =>
  ({ affinity: { nodeAffinity: { [required]: { nodeSelectorTerms } } } }) as Pod["spec"] & object;

describe("NodeName, NodeUnschedulable and TaintToleration", () => {
  checkAll({
    "a pod that names a node fits no other": {
      pod: aPod("web", { spec: { nodeName: "a" } }),
      nodes: [aNode("a"), aNode("b")],
      expected: { a: undefined, b: ["node(s) didn't match the requested node name"] },
    },
    "a cordoned node takes no pods": {
      pod: aPod("web"),
      nodes: [aNode("a", cordoned), aNode("b")],
      expected: { a: ["node(s) were unschedulable"], b: undefined },
    },
    "unless they tolerate the taint that stands for it": {
      pod: aPod("web", { spec: { tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }] } }),
      nodes: [aNode("a", cordoned)],
      expected: { a: undefined },
    },
    "taints are named as upstream names them, with and without value": {
      pod: aPod("web"),
      nodes: [tainted("a", "NoSchedule", "gpu"), tainted("b", "NoExecute"), tainted("c", "PreferNoSchedule")],
      expected: {
        a: ["node(s) had untolerated taint {dedicated: gpu}"],
        b: ["node(s) had untolerated taint {dedicated: }"],
        c: undefined,
      },
    },
    "a tolerated taint is none, of the right value and effect": {
      pod: aPod("web", {
        spec: { tolerations: [{ key: "dedicated", operator: "Equal", value: "gpu", effect: "NoSchedule" }] },
      }),
      nodes: [tainted("a", "NoSchedule", "gpu"), tainted("b", "NoSchedule", "web"), tainted("c", "NoExecute", "gpu")],
      expected: {
        a: undefined,
        b: ["node(s) had untolerated taint {dedicated: web}"],
        c: ["node(s) had untolerated taint {dedicated: gpu}"],
      },
    },
    "the first plugin that rejects gives the reason": {
      pod: aPod("web", { requests: { cpu: "99" } }),
      nodes: [aNode("a", { spec: { unschedulable: true, taints: [{ key: "x", effect: "NoSchedule" }] } })],
      expected: { a: ["node(s) were unschedulable"] },
    },
  });
});

describe("NodeOS", () => {
  const other = ["node(s) had a different operating system from the pod"];
  const os = (name: string) => ({ labels: { "kubernetes.io/os": name } });
  const nodes = [aNode("a", os("linux")), aNode("b", os("windows")), aNode("c")];
  checkAll({
    "a pod of Windows fits no node of Linux": {
      pod: aPod("web", { spec: { os: { name: "windows" } } }),
      nodes,
      expected: { a: other, b: undefined, c: undefined },
    },
    "a pod of Linux fits no node of Windows": {
      pod: aPod("web", { spec: { os: { name: "linux" } } }),
      nodes,
      expected: { a: undefined, b: other, c: undefined },
    },
    "a system that no node has fits only nodes that name none": {
      pod: aPod("web", { spec: { os: { name: "windows" } } }),
      nodes: [aNode("a", os("linux")), aNode("c")],
      expected: { a: other, c: undefined },
    },
    "a pod that names no system fits every node": {
      pod: aPod("web"),
      nodes,
      expected: { a: undefined, b: undefined, c: undefined },
    },
  });
});

describe("NodeAffinity", () => {
  const mismatch = ["node(s) didn't match Pod's node affinity/selector"];
  const nodes = [
    aNode("a", { labels: { disk: "ssd", cores: "8" } }),
    aNode("b", { labels: { disk: "hdd", cores: "32" } }),
    aNode("c"),
  ];
  const expression = (operator: string, key: string, ...values: string[]) => ({
    matchExpressions: [{ key, operator, values }],
  });

  checkAll({
    "nodeSelector asks for every label": {
      pod: aPod("web", { spec: { nodeSelector: { disk: "ssd", cores: "8" } } }),
      nodes,
      expected: { a: undefined, b: mismatch, c: mismatch },
    },
    In: {
      pod: aPod("web", { spec: nodeAffinityOf(expression("In", "disk", "ssd", "nvme")) }),
      nodes,
      expected: { a: undefined, b: mismatch, c: mismatch },
    },
    "NotIn also takes nodes without the label": {
      pod: aPod("web", { spec: nodeAffinityOf(expression("NotIn", "disk", "ssd")) }),
      nodes,
      expected: { a: mismatch, b: undefined, c: undefined },
    },
    Exists: {
      pod: aPod("web", { spec: nodeAffinityOf(expression("Exists", "disk")) }),
      nodes,
      expected: { a: undefined, b: undefined, c: mismatch },
    },
    DoesNotExist: {
      pod: aPod("web", { spec: nodeAffinityOf(expression("DoesNotExist", "disk")) }),
      nodes,
      expected: { a: mismatch, b: mismatch, c: undefined },
    },
    "Gt compares numbers, not texts": {
      pod: aPod("web", { spec: nodeAffinityOf(expression("Gt", "cores", "9")) }),
      nodes,
      expected: { a: mismatch, b: undefined, c: mismatch },
    },
    Lt: {
      pod: aPod("web", { spec: nodeAffinityOf(expression("Lt", "cores", "9")) }),
      nodes,
      expected: { a: undefined, b: mismatch, c: mismatch },
    },
    "one of several terms is enough": {
      pod: aPod("web", { spec: nodeAffinityOf(expression("In", "disk", "ssd"), expression("Gt", "cores", "9")) }),
      nodes,
      expected: { a: undefined, b: undefined, c: mismatch },
    },
    "a term that asks for nothing matches nothing": {
      pod: aPod("web", { spec: nodeAffinityOf({}) }),
      nodes,
      expected: { a: mismatch, b: mismatch, c: mismatch },
    },
    "a DaemonSet's pod names its node": {
      pod: aPod("web", {
        spec: nodeAffinityOf({ matchFields: [{ key: "metadata.name", operator: "In", values: ["b"] }] }),
      }),
      nodes,
      // The other nodes are skipped, and have no reason.
      expected: { a: undefined, b: undefined, c: undefined },
      feasible: ["b"],
      passedOver: { count: 2, because: ["node(s) didn't satisfy plugin(s) [NodeAffinity]"] },
    },
    "a pod that asks for two nodes at once fits none": {
      pod: aPod("web", {
        spec: nodeAffinityOf({
          matchFields: [
            { key: "metadata.name", operator: "In", values: ["a"] },
            { key: "metadata.name", operator: "In", values: ["b"] },
          ],
        }),
      }),
      nodes: [aNode("a"), aNode("b")],
      expected: { a: ["pod affinity terms conflict"], b: ["pod affinity terms conflict"] },
    },
  });
});

describe("NodeResourcesFit and NodePorts", () => {
  const ports = ["node(s) didn't have free ports for the requested pod ports"];

  checkAll({
    "what is left of a node is what counts": {
      pod: aPod("web", { requests: { cpu: "1500m", memory: "1Gi" } }),
      nodes: [aNode("a"), aNode("b"), aNode("c")],
      placed: {
        a: [aPod("x", { requests: { cpu: "2500m" } })],
        b: [aPod("y", { requests: { cpu: "2501m" } })],
        c: [aPod("z", { requests: { memory: "7.5Gi" } })],
      },
      expected: { a: undefined, b: ["Insufficient cpu"], c: ["Insufficient memory"] },
      evictionMayHelp: ["b", "c"],
    },
    "every resource that is missing is named": {
      pod: aPod("web", { requests: { cpu: "5", memory: "9Gi", "ephemeral-storage": "1Gi", "example.com/gpu": "1" } }),
      nodes: [aNode("a")],
      expected: {
        a: [
          "Insufficient cpu",
          "Insufficient memory",
          "Insufficient ephemeral-storage",
          "Insufficient example.com/gpu",
        ],
      },
      evictionMayHelp: [],
    },
    "a node takes only so many pods": {
      pod: aPod("web"),
      nodes: [aNode("a", { allocatable: { pods: "1" } })],
      placed: { a: [aPod("x")] },
      expected: { a: ["Too many pods"] },
      evictionMayHelp: ["a"],
    },
    "init containers count by their hungriest moment": {
      pod: aPod("web", {
        requests: { cpu: "1" },
        spec: { initContainers: [{ name: "init", resources: { requests: { cpu: "5" } } }] },
      }),
      nodes: [aNode("a"), aNode("big", { allocatable: { cpu: "8" } })],
      expected: { a: ["Insufficient cpu"], big: undefined },
    },
    "a port of the node is taken once per protocol": {
      pod: aPod("web", { hostPort: 80 }),
      nodes: [aNode("a"), aNode("b")],
      placed: { a: [aPod("x", { hostPort: 80 })], b: [aPod("y", { hostPort: 81 })] },
      expected: { a: ports, b: undefined },
      evictionMayHelp: ["a"],
    },
    "claims of volumes, which do not exist here, keep a pod waiting": {
      pod: aPod("web", { spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "disk" } }] } }),
      nodes: [aNode("a")],
      expected: { a: ['persistentvolumeclaim "disk" not found'] },
      evictionMayHelp: [],
    },
  });
});

describe("InterPodAffinity", () => {
  const nodes = [zoned("a1", "a"), zoned("a2", "a"), zoned("b1", "b"), aNode("nowhere")];
  const notNear = ["node(s) didn't match pod affinity rules"];
  const notFar = ["node(s) didn't match pod anti-affinity rules"];
  const refused = ["node(s) didn't satisfy existing pods anti-affinity rules"];
  const db = aPod("db", { labels: { app: "db" } });

  checkAll({
    "near means in the same domain": {
      pod: aPod("web", { spec: wantsNear("db") }),
      nodes,
      placed: { a1: [db] },
      expected: { a1: undefined, a2: undefined, b1: notNear, nowhere: notNear },
      evictionMayHelp: [],
    },
    "nobody to be near to": {
      pod: aPod("web", { spec: wantsNear("db") }),
      nodes,
      expected: { a1: notNear, a2: notNear, b1: notNear, nowhere: notNear },
    },
    "the first of a group that wants to be together may go anywhere with the label": {
      pod: aPod("web", { labels: { app: "web" }, spec: wantsNear("web") }),
      nodes,
      expected: { a1: undefined, a2: undefined, b1: undefined, nowhere: notNear },
    },
    "far means in no domain with such a pod": {
      pod: aPod("web", { spec: wantsFar("db") }),
      nodes,
      placed: { a1: [db] },
      expected: { a1: notFar, a2: notFar, b1: undefined, nowhere: undefined },
      evictionMayHelp: ["a1", "a2"],
    },
    "pods that are there keep others away too": {
      pod: aPod("web", { labels: { app: "web" } }),
      nodes,
      placed: { b1: [aPod("loner", { spec: wantsFar("web") })] },
      expected: { a1: undefined, a2: undefined, b1: refused, nowhere: undefined },
      evictionMayHelp: ["b1"],
    },
    "pods of other namespaces do not count": {
      pod: aPod("web", { namespace: "shop", spec: wantsNear("db") }),
      nodes: nodes.slice(0, 1),
      placed: { a1: [db] },
      expected: { a1: notNear },
    },
    "unless the term names their namespace": {
      pod: aPod("web", {
        namespace: "shop",
        spec: { affinity: { podAffinity: { [required]: [{ ...app("db"), namespaces: ["default"] }] } } },
      }),
      nodes: nodes.slice(0, 1),
      placed: { a1: [db] },
      expected: { a1: undefined },
    },
    "or an empty selector that means all namespaces": {
      pod: aPod("web", {
        namespace: "shop",
        spec: { affinity: { podAffinity: { [required]: [{ ...app("db"), namespaceSelector: {} }] } } },
      }),
      nodes: nodes.slice(0, 1),
      placed: { a1: [db] },
      expected: { a1: undefined },
    },
    "matchLabelKeys compares with the pod's own labels": {
      pod: aPod("web", {
        labels: { app: "db", version: "2" },
        spec: { affinity: { podAntiAffinity: { [required]: [{ ...app("db"), matchLabelKeys: ["version"] }] } } },
      }),
      nodes: nodes.slice(0, 3),
      placed: {
        a1: [aPod("v1", { labels: { app: "db", version: "1" } })],
        b1: [aPod("v2", { labels: { app: "db", version: "2" } })],
      },
      expected: { a1: undefined, a2: undefined, b1: notFar },
    },
  });
});

describe("PodTopologySpread", () => {
  const nodes = [zoned("a1", "a"), zoned("a2", "a"), zoned("b1", "b")];
  const skewed = ["node(s) didn't match pod topology spread constraints"];
  const unlabelled = ["node(s) didn't match pod topology spread constraints (missing required label)"];
  const web = (name: string, terminating = false) => aPod(name, { labels: { app: "web" }, terminating });
  const spread = (more: object = {}) => ({
    labels: { app: "web" },
    spec: {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "zone",
          whenUnsatisfiable: "DoNotSchedule" as const,
          labelSelector: { matchLabels: { app: "web" } },
          ...more,
        },
      ],
    },
  });

  checkAll({
    "no domain gets more than maxSkew ahead of the emptiest": {
      pod: aPod("new", spread()),
      nodes,
      placed: { a1: [web("x")] },
      expected: { a1: skewed, a2: skewed, b1: undefined },
      evictionMayHelp: ["a1", "a2"],
    },
    "a larger skew allows more": {
      pod: aPod("new", spread({ maxSkew: 2 })),
      nodes,
      placed: { a1: [web("x")] },
      expected: { a1: undefined, a2: undefined, b1: undefined },
    },
    "pods on their way out do not count": {
      pod: aPod("new", spread()),
      nodes,
      placed: { a1: [web("x", true)] },
      expected: { a1: undefined, a2: undefined, b1: undefined },
    },
    "a node without the label cannot do": {
      pod: aPod("new", spread()),
      nodes: [...nodes, aNode("nowhere")],
      expected: { a1: undefined, a2: undefined, b1: undefined, nowhere: unlabelled },
      evictionMayHelp: [],
    },
    "too few domains count as if one more were empty": {
      pod: aPod("new", spread({ minDomains: 3 })),
      nodes,
      placed: { a1: [web("x")], b1: [web("y")] },
      expected: { a1: skewed, a2: skewed, b1: skewed },
    },
    "domains that the pod cannot use do not hold it back": {
      pod: aPod("new", { ...spread(), spec: { ...spread().spec, nodeSelector: { zone: "a" } } }),
      nodes,
      placed: { a1: [web("x")] },
      expected: {
        a1: undefined,
        a2: undefined,
        b1: ["node(s) didn't match Pod's node affinity/selector"],
      },
    },
    "unless the constraint ignores that": {
      pod: aPod("new", {
        ...spread({ nodeAffinityPolicy: "Ignore" }),
        spec: { ...spread({ nodeAffinityPolicy: "Ignore" }).spec, nodeSelector: { zone: "a" } },
      }),
      nodes,
      placed: { a1: [web("x")] },
      expected: { a1: skewed, a2: skewed, b1: ["node(s) didn't match Pod's node affinity/selector"] },
    },
    "tainted domains hold it back unless the constraint honours taints": {
      pod: aPod("new", spread({ nodeTaintsPolicy: "Honor" })),
      nodes: [
        zoned("a1", "a"),
        aNode("b1", { labels: { zone: "b" }, spec: { taints: [{ key: "x", effect: "NoSchedule" }] } }),
      ],
      placed: { a1: [web("x")] },
      expected: { a1: undefined, b1: ["node(s) had untolerated taint {x: }"] },
    },
  });
});

function checkAll(cases: Readonly<Record<string, Case>>): void {
  test.each(Object.entries(cases))("%s", (_, { pod, nodes, placed, expected, ...more }) => {
    const filtered = filterNodes(podInfoOf(pod), aCluster(nodes, placed), {
      plugins: defaultPlugins,
      timed: (_point, work) => work(),
    });
    const { feasible } = filtered;
    const rejections = filtered.rejections();
    const actual = Object.fromEntries(
      nodes.map(({ metadata: { name = "" } }) => [name, rejections.byNode.get(name)?.because.map(rejectionText)]),
    );
    expect(actual).toEqual(expected);
    expect(feasible.map(({ name }) => name)).toEqual(
      more.feasible ?? Object.keys(expected).filter((name) => expected[name] === undefined),
    );
    const { passedOver } = rejections;
    expect(passedOver && { ...passedOver, because: passedOver.because.map(rejectionText) }).toEqual(more.passedOver);
    const helped = [...rejections.byNode].filter(([, refusal]) => refusal.evictionMayHelp).map(([name]) => name);
    expect(helped).toEqual(more.evictionMayHelp ?? helped);
  });
}
