import type { CSINode, DaemonSet, PersistentVolumeClaim, StorageClass, VolumeAttachment } from "@kintsugi/api";
import { expect, test } from "vitest";
import { upstreamOptions } from "../model/options.ts";
import { emptyMemory, type Memory, type World } from "../model/world.ts";
import { aTightBudget, aMachineNode, aNodeGroup, aWorkloadPod, aScaledWorld } from "../testing/scaled-cluster.ts";
import { planLook } from "./plan-look.ts";

const options = upstreamOptions;
const minute = 60_000;
const start = 1_000_000_000;

function look(world: Partial<World>, memory: Memory = emptyMemory, nowMs = start) {
  const plan = planLook(aScaledWorld(world), memory, { options, nowMs });
  return {
    ...plan,
    resizes: plan.actions.flatMap((action) => (action.do === "resize" ? [`${action.group.name} ${action.to}`] : [])),
    unhelped: plan.actions.flatMap((action) =>
      action.do === "report unhelped" ? [`${action.pod.metadata.name}: ${action.because}`] : [],
    ),
    leaving: plan.actions.flatMap((action) =>
      action.do === "begin removal" ? [action.leaving.node.metadata.name ?? ""] : [],
    ),
    deleted: plan.actions.flatMap((action) => (action.do === "delete machine" ? [action.providerId] : [])),
  };
}

/** The state of a cluster whose nodes have been unneeded for long enough. */
function afterUnneeded(world: Partial<World>): Memory {
  return look(world, emptyMemory, start - options.unneededMs).memory;
}

const pending = (count: number, cpu = "1") => Array.from({ length: count }, (_, i) => aWorkloadPod(`p${i}`, { cpu }));

test.each([
  [1, "pool 1"],
  [2, "pool 1"],
  [3, "pool 2"],
  [9, "pool 3"],
])(
  "%i pods of one processor order machines up to the maximum, by the number that fits on a machine",
  (count, resize) => {
    expect(look({ pods: pending(count), groups: [aNodeGroup("pool", [])] }).resizes).toEqual([resize]);
  },
);

test("pods that fit on ordered machines do not order further machines", () => {
  const world = { pods: pending(2), groups: [aNodeGroup("pool", ["m1"])] };
  expect(look(world).resizes).toEqual([]);
  const registered = { ...world, nodes: [aMachineNode("m1", { ready: "False" })] };
  expect(look(registered).resizes).toEqual([]);
  const uninitialized = [{ key: "node.cloudprovider.kubernetes.io/uninitialized", effect: "NoSchedule" as const }];
  expect(look({ ...world, nodes: [aMachineNode("m1", { taints: uninitialized })] }).resizes).toEqual([]);
  const silent = {
    ...world,
    nodes: [
      aMachineNode("m1", {
        ready: "Unknown",
        taints: [{ key: "node.kubernetes.io/unreachable", effect: "NoSchedule" }],
      }),
    ],
  };
  expect(look(silent).resizes).toEqual(["pool 2"]);
});

test("a pod that does not fit on any machine does not order a machine, and receives the reason", () => {
  const { resizes, unhelped } = look({ pods: pending(1, "3"), groups: [aNodeGroup("pool", [])] });
  expect(resizes).toEqual([]);
  expect(unhelped[0]).toContain("p0: pool: 0/1 nodes are available: 1 Insufficient cpu");
});

test("a full group is named as the reason", () => {
  const groups = [aNodeGroup("pool", [], { max: 0 })];
  expect(look({ pods: pending(1), groups }).unhelped).toEqual(["p0: 1 max node group size reached"]);
});

test("the resources of DaemonSet pods on a new node are not used for other pods", () => {
  const container = { name: "c", image: "busybox:1", resources: { requests: { cpu: "500m" } } };
  const set = {
    metadata: { name: "agent", namespace: "kube-system", uid: "agent" },
    spec: { selector: { matchLabels: { app: "agent" } }, template: { spec: { containers: [container] } } },
  } as unknown as DaemonSet;
  expect(look({ pods: pending(2), groups: [aNodeGroup("pool", [])], daemonSets: [set] }).resizes).toEqual(["pool 2"]);
});

test("a pod that preempts other pods, and a pod below the expendable priority, do not order machines", () => {
  const nominated = aWorkloadPod("n");
  nominated.status = { ...nominated.status, nominatedNodeName: "m1" };
  const pods = [nominated, aWorkloadPod("e", { spec: { priority: -11 } })];
  expect(look({ pods, groups: [aNodeGroup("pool", [])] }).resizes).toEqual([]);
});

const disks = (count: number) => ({
  claims: Array.from({ length: count }, (_, i) => ({
    metadata: { name: `data-${i}`, namespace: "default" },
    spec: { storageClassName: "disk" },
  })) as PersistentVolumeClaim[],
  classes: [
    { metadata: { name: "disk" }, provisioner: "disk.example.com", volumeBindingMode: "WaitForFirstConsumer" },
  ] as StorageClass[],
  pods: Array.from({ length: count }, (_, i) =>
    aWorkloadPod(`p${i}`, {
      cpu: "100m",
      spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: `data-${i}` } }] },
    }),
  ),
});

const withDisks = (node: string, count: number) =>
  ({
    metadata: { name: node },
    spec: { drivers: [{ name: "disk.example.com", nodeID: node, allocatable: { count } }] },
  }) as CSINode;

test("pods order as many machines as their volumes need, according to the driver's limit on an existing node", () => {
  const full = {
    nodes: [aMachineNode("fixed")],
    groups: [aNodeGroup("pool", [])],
    csiNodes: [withDisks("fixed", 2)],
    attachments: ["x", "y"].map((name) => ({
      metadata: { name },
      spec: { nodeName: "fixed", attacher: "disk.example.com", source: { persistentVolumeName: name } },
    })) as VolumeAttachment[],
    volumes: ["x", "y"].map((name) => ({
      metadata: { name },
      spec: { csi: { driver: "disk.example.com", volumeHandle: name } },
    })) as World["volumes"],
  };
  expect(look({ ...full, ...disks(2) }).resizes).toEqual(["pool 1"]);
  expect(look({ ...full, ...disks(3) }).resizes).toEqual(["pool 2"]);
  expect(look({ ...full, ...disks(3), attachments: [] }).resizes).toEqual(["pool 1"]);
});

test("the helpful group of the highest priority is chosen, and then the group with fewer machines", () => {
  const large = { ...aNodeGroup("x", []).template, cpuMillicores: 8000 };
  const groups = [aNodeGroup("small", []), aNodeGroup("large", [], { template: large })];
  expect(look({ pods: pending(4), groups }).resizes).toEqual(["large 1"]);
  const preferred = [aNodeGroup("small", [], { priority: 1 }), aNodeGroup("large", [], { template: large })];
  expect(look({ pods: pending(4), groups: preferred }).resizes).toEqual(["small 2"]);
  expect(look({ pods: pending(1, "4"), groups: preferred }).resizes).toEqual(["large 1"]);
});

test("an empty node is removed after its unneeded time, and never below the minimum", () => {
  const nodes = [aMachineNode("m1"), aMachineNode("m2")];
  const world = { nodes, groups: [aNodeGroup("pool", ["m1", "m2"], { min: 1 })] };
  expect(look(world).leaving).toEqual([]);
  expect(look(world, afterUnneeded(world)).leaving).toEqual(["m1"]);
  const atMinimum = { ...world, groups: [aNodeGroup("pool", ["m1", "m2"], { min: 2 })] };
  expect(look(atMinimum, afterUnneeded(atMinimum)).leaving).toEqual([]);
});

test("the unneeded time of a node that was needed in the meantime starts again", () => {
  const world = { nodes: [aMachineNode("m1")], groups: [aNodeGroup("pool", ["m1"])] };
  const busy = { ...world, pods: [aWorkloadPod("p", { cpu: "2", node: "m1" })] };
  const before = look(world, emptyMemory, start - options.unneededMs).memory;
  const between = look(busy, before, start - minute).memory;
  expect(look(world, between).leaving).toEqual([]);
});

test("pods move only if each pod fits on another node", () => {
  const nodes = [aMachineNode("m1"), aMachineNode("m2"), aMachineNode("fixed", { cpu: "1" })];
  const world = {
    nodes,
    pods: [aWorkloadPod("a", { node: "m1" }), aWorkloadPod("b", { node: "m2" })],
    groups: [aNodeGroup("pool", ["m1", "m2"])],
  };
  const { leaving } = look(world, afterUnneeded(world));
  expect(leaving).toEqual(["m1"]);
  const full = {
    ...world,
    pods: [...world.pods, aWorkloadPod("c", { node: "fixed" }), aWorkloadPod("d", { node: "m2" })],
  };
  expect(look(full, afterUnneeded(full)).leaving).toEqual([]);
  expect(look(full).kept.get("m1")).toContain("no room for default/a");
});

test.each([
  ["a pod without a controller", { pod: { ownerReferences: [] } }, "has no controller"],
  ["a pod with local data", { spec: { volumes: [{ name: "cache", emptyDir: {} }] } }, "local volume cache"],
  [
    "a pod with the annotation",
    { pod: { annotations: { "cluster-autoscaler.kubernetes.io/safe-to-evict": "false" } } },
    "not safe to evict",
  ],
  ["a pod of the system", { pod: { namespace: "kube-system" } }, "without a budget"],
])("%s keeps its node", (_, details, because) => {
  const nodes = [aMachineNode("m1"), aMachineNode("fixed")];
  const world = { nodes, pods: [aWorkloadPod("a", { node: "m1", ...details })], groups: [aNodeGroup("pool", ["m1"])] };
  expect(look(world, afterUnneeded(world)).leaving).toEqual([]);
  expect(look(world).kept.get("m1")).toContain(because);
});

test("budgets that allow no disruption keep a node", () => {
  const nodes = [aMachineNode("m1"), aMachineNode("fixed")];
  const pods = [aWorkloadPod("a", { node: "m1", cpu: "200m" }), aWorkloadPod("b", { node: "m1", cpu: "200m" })];
  const world = { nodes, pods, groups: [aNodeGroup("pool", ["m1"])], budgets: [aTightBudget(1)] };
  expect(look(world, afterUnneeded(world)).leaving).toEqual([]);
  const roomy = { ...world, budgets: [aTightBudget(2)] };
  expect(look(roomy, afterUnneeded(roomy)).leaving).toEqual(["m1"]);
});

test("a pod that does not fit on any new machine neither prevents the removal of a node nor orders a machine by a template that machines do not match", () => {
  const promising = { ...aNodeGroup("pool", []).template, cpuMillicores: 8000 };
  const group = (machines: string[]) => aNodeGroup("pool", machines, { template: promising });
  const pods = pending(1, "7");
  expect(look({ pods, groups: [group([])] }).resizes).toEqual(["pool 1"]);
  const disappointed = { pods, nodes: [aMachineNode("m1")], groups: [group(["m1"])] };
  const memory = afterUnneeded(disappointed);
  expect(look(disappointed, memory)).toMatchObject({ resizes: [], leaving: ["m1"] });
  const afterwards = look({ pods, groups: [group([])] }, memory);
  expect(afterwards.resizes).toEqual([]);
  expect(afterwards.unhelped[0]).toContain("1 Insufficient cpu");
});

test("no node is removed while pods wait, while machines are ordered, or soon after an order", () => {
  const world = { nodes: [aMachineNode("m1")], groups: [aNodeGroup("pool", ["m1"])] };
  const memory = afterUnneeded(world);
  // A machine of the full group would help the pod, and the group may soon have capacity.
  const nodes = [aMachineNode("m1"), aMachineNode("m2", { labels: { disk: "ssd" } })];
  const groups = [aNodeGroup("pool", ["m1"]), aNodeGroup("ssd", ["m2"], { max: 1 })];
  const pods = [
    aWorkloadPod("taken", { node: "m2", cpu: "2" }),
    aWorkloadPod("waits", { cpu: "2", spec: { nodeSelector: { disk: "ssd" } } }),
  ];
  expect(look({ nodes, groups, pods }, memory).leaving).toEqual([]);
  expect(look({ ...world, groups: [aNodeGroup("pool", ["m1", "m2"])] }, memory).leaving).toEqual([]);
  expect(look(world, { ...memory, lastScaleUpMs: start - minute }).leaving).toEqual([]);
  // The machine of another node no longer exists, and its pods will need the capacity.
  const losing = { ...world, nodes: [...world.nodes, aMachineNode("fixed")], instances: new Set(["lab://c/m1"]) };
  expect(look(losing, memory).leaving).toEqual([]);
  expect(look(world, memory).leaving).toEqual(["m1"]);
});

const leavingSince = (ms: number) => [
  { key: "ToBeDeletedByClusterAutoscaler", value: String(ms / 1000), effect: "NoSchedule" as const },
];

test("a removal continues after a restart: pods are evicted, and then the machine is deleted", () => {
  const nodes = [aMachineNode("m1", { taints: leavingSince(start - minute) }), aMachineNode("fixed")];
  const groups = [aNodeGroup("pool", ["m1"])];
  const busy = look({ nodes, groups, pods: [aWorkloadPod("a", { node: "m1" })] });
  expect(busy.actions.map((action) => action.do)).toEqual(["evict"]);
  expect(busy.deleted).toEqual([]);
  expect(look({ nodes, groups }).deleted).toEqual(["lab://c/m1"]);
});

test("a drain that takes too long is aborted, and the next drain waits", () => {
  const nodes = [aMachineNode("m1", { taints: leavingSince(start - 11 * minute) }), aMachineNode("fixed")];
  const world = { nodes, groups: [aNodeGroup("pool", ["m1"])], pods: [aWorkloadPod("a", { node: "m1" })] };
  const { actions, memory } = look(world);
  expect(actions.map((action) => action.do)).toEqual(["removal of a node aborted"]);
  expect(memory.lastFailureMs).toBe(start);
});

test("a machine that never becomes a node is deleted, and its group pauses", () => {
  const world = { pods: pending(1), groups: [aNodeGroup("pool", ["m1"])] };
  const first = look(world, emptyMemory, start);
  const late = look(world, first.memory, start + 15 * minute);
  expect(late.deleted).toEqual(["lab://c/m1"]);
  const empty = { pods: pending(1), groups: [aNodeGroup("pool", [])] };
  expect(look(empty, late.memory, start + 16 * minute).resizes).toEqual([]);
  expect(look(empty, late.memory, start + 21 * minute).resizes).toEqual(["pool 1"]);
});

test("a node that is broken for long is removed without a drain, and never below the minimum", () => {
  const world = { nodes: [aMachineNode("m1", { ready: "Unknown" })], groups: [aNodeGroup("pool", ["m1"])] };
  const { memory } = look(world, emptyMemory, start);
  expect(look(world, memory, start + 19 * minute).deleted).toEqual([]);
  expect(look(world, memory, start + 20 * minute).deleted).toEqual(["lab://c/m1"]);
  const least = { ...world, groups: [aNodeGroup("pool", ["m1"], { min: 1 })] };
  expect(look(least, memory, start + 20 * minute).deleted).toEqual([]);
});

test("nodes of other machines are never changed", () => {
  const world = { nodes: [aMachineNode("fixed")], groups: [aNodeGroup("pool", [])] };
  expect(look(world, afterUnneeded(world)).actions).toEqual([]);
});

test("a pod does not order a machine that cannot attach its volume, and gets a machine that can", () => {
  const driver = "disk.example.com";
  const csiNode = (name: string, count: number) => ({
    metadata: { name },
    spec: { drivers: [{ name: driver, nodeID: name, allocatable: { count } }] },
  });
  const claim = {
    metadata: { name: "data", namespace: "default", annotations: { "pv.kubernetes.io/bind-completed": "yes" } },
    spec: { volumeName: "disk" },
    status: { phase: "Bound" },
  };
  const volume = (name: string) => ({
    metadata: { name },
    spec: { csi: { driver, volumeHandle: name }, accessModes: ["ReadWriteOnce"] },
  });
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }];
  const world = (count: number): Partial<World> => ({
    nodes: [aMachineNode("m1")],
    pods: [aWorkloadPod("p", { spec: { volumes } })],
    groups: [aNodeGroup("pool", ["m1"])],
    claims: [claim],
    volumes: [volume("disk"), volume("other")],
    csiNodes: [csiNode("m1", count)],
    attachments: [
      {
        metadata: { name: "a" },
        spec: { attacher: driver, nodeName: "m1", source: { persistentVolumeName: "other" } },
      },
    ],
  });
  expect(look(world(2)).resizes).toEqual([]);
  expect(look(world(1)).resizes).toEqual(["pool 2"]);
  expect(look(world(0)).resizes).toEqual([]);
});
