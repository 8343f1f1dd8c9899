import type { Node, Pod, PodDisruptionBudget } from "@kintsugi/api";
import type { NodeGroup } from "@kintsugi/cloud";
import type { World } from "../model/world.ts";

/** A node group with 2 processors and 4 GiB, 0 to 3 machines; its IDs are "lab://c/<name>". */
export function aNodeGroup(name: string, machines: readonly string[], changes: Partial<NodeGroup> = {}): NodeGroup {
  const template = {
    instanceType: "small",
    zone: "a",
    cpuMillicores: 2000,
    memoryBytes: 4 * 1024 ** 3,
    podsMax: 20,
    labels: {},
    taints: [],
  };
  const ids = machines.map((machine) => `lab://c/${machine}`);
  return { name, min: 0, max: 3, priority: 0, template, target: ids.length, machines: ids, ...changes };
}

export interface MachineNodeDetails {
  cpu?: string;
  ready?: "True" | "False" | "Unknown";
  taints?: NonNullable<Node["spec"]>["taints"];
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

export function aMachineNode(
  name: string,
  { cpu = "2", ready = "True", taints, labels, annotations }: MachineNodeDetails = {},
): Node {
  const allocatable = { cpu, memory: "4Gi", pods: "20" };
  return {
    metadata: {
      name,
      uid: `uid-${name}`,
      labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", ...labels },
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: { providerID: `lab://c/${name}`, ...(taints === undefined ? {} : { taints }) },
    status: { allocatable, capacity: allocatable, conditions: [{ type: "Ready", status: ready }] },
  } as Node;
}

/** A pod of a ReplicaSet that requests processors; it waits if it has no node. */
export function aWorkloadPod(
  name: string,
  { cpu = "1", node, pod = {}, spec = {} }: { cpu?: string; node?: string; pod?: object; spec?: object } = {},
): Pod {
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "set", uid: "set", controller: true }];
  const waiting = { conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }] };
  return {
    metadata: { name, namespace: "default", uid: `uid-${name}`, labels: { app: "web" }, ownerReferences, ...pod },
    spec: {
      containers: [{ name: "c", image: "busybox:1", resources: { requests: { cpu } } }],
      ...(node === undefined ? {} : { nodeName: node }),
      ...spec,
    },
    status: node === undefined ? waiting : { phase: "Running" },
  } as Pod;
}

export function aTightBudget(disruptionsAllowed: number): PodDisruptionBudget {
  return {
    metadata: { name: "budget", namespace: "default" },
    spec: { selector: { matchLabels: { app: "web" } } },
    status: { disruptionsAllowed },
  } as PodDisruptionBudget;
}

export function aScaledWorld(changes: Partial<World>): World {
  return {
    nodes: [],
    pods: [],
    namespaces: [{ metadata: { name: "default" } }],
    budgets: [],
    daemonSets: [],
    claims: [],
    volumes: [],
    classes: [],
    csiDrivers: [],
    csiNodes: [],
    capacities: [],
    attachments: [],
    groups: [],
    // Every machine that has a Node exists.
    instances: new Set((changes.nodes ?? []).map(({ spec }) => spec?.providerID ?? "")),
    ...changes,
  };
}
