import {
  controllerReference,
  formatTimestamp,
  type Node,
  parseTimestamp,
  type Pod,
  type PodDisruptionBudget,
  type ReplicaSet,
  replicaSets,
  type StatefulSet,
  statefulSets,
} from "@kintsugi/api";
import { aNode, aPod } from "@kintsugi/scheduling/testing";
import type { ObservedObjects, RebalanceOptions } from "../world.ts";

/** The time at which everything has been unchanged for an hour. */
export const noonMs = parseTimestamp("2026-01-01T12:00:00Z");
const hour = 3_600_000;

export const someOptions: RebalanceOptions = {
  namespace: "",
  includeStateful: false,
  scoreMargin: 20,
  settleMs: 60_000,
  cooldownMs: 300_000,
  readyWithinMs: 300_000,
};

export function ready(status: "True" | "False", sinceMs = noonMs - hour) {
  return { type: "Ready", status, lastTransitionTime: formatTimestamp(sinceMs) };
}

export function nodeNamed(name: string, conditions = [ready("True")], spec: Node["spec"] = {}): Node {
  const node = aNode(name, { spec: spec ?? {} });
  return {
    ...node,
    metadata: { ...node.metadata, creationTimestamp: formatTimestamp(noonMs - hour) },
    status: { ...node.status, conditions },
  };
}

export function setNamed(name: string, replicas: number, annotations: Record<string, string> = {}): ReplicaSet {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, namespace: "default", uid: `uid-${name}`, generation: 1, annotations, resourceVersion: "1" },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: { spec: { containers: [] } } },
    status: { replicas, observedGeneration: 1 },
  };
}

export function statefulSetNamed(
  name: string,
  replicas: number,
  annotations: Record<string, string> = {},
): StatefulSet {
  const { metadata, spec } = setNamed(name, replicas, annotations);
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata,
    spec: { ...spec, selector: { matchLabels: { app: name } }, template: { spec: { containers: [] } } },
    status: { replicas, observedGeneration: 1 },
  };
}

export interface PlacedTraits {
  createdMs?: number;
  isReady?: boolean;
  annotations?: Record<string, string>;
  spec?: Partial<NonNullable<Pod["spec"]>>;
  requests?: Record<string, string>;
}

/** A pod of the owner on a node, or without a node for "". */
export function podOf(owner: ReplicaSet | StatefulSet, name: string, node: string, traits: PlacedTraits = {}): Pod {
  const { createdMs = noonMs - hour, isReady = true, annotations = {}, spec = {}, requests = { cpu: "100m" } } = traits;
  const labels = { app: owner.metadata.name ?? "" };
  const pod = aPod(name, { labels, requests, spec: { ...spec, ...(node === "" ? {} : { nodeName: node }) } });
  const type = owner.kind === "StatefulSet" ? statefulSets : replicaSets;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      annotations,
      creationTimestamp: formatTimestamp(createdMs),
      ownerReferences: [controllerReference(owner, type)],
    },
    status: {
      phase: "Running",
      startTime: formatTimestamp(createdMs),
      conditions: [ready(isReady ? "True" : "False", createdMs)],
    },
  };
}

export function budgetOf(owner: ReplicaSet, disruptionsAllowed: number): PodDisruptionBudget {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "keep", namespace: "default" },
    spec: { selector: { matchLabels: { app: owner.metadata.name ?? "" } } },
    status: { disruptionsAllowed, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  };
}

/** Three nodes, and a set of six pods that are concentrated on two of them. */
export function aCrowd(set: ReplicaSet = setNamed("web", 6), traits: PlacedTraits = {}): ObservedObjects {
  return {
    nodes: ["node-1", "node-2", "node-3"].map((name) => nodeNamed(name)),
    pods: ["a", "b", "c", "d", "e", "f"].map((name, i) => podOf(set, name, i < 3 ? "node-1" : "node-2", traits)),
    namespaces: [],
    budgets: [],
    claims: [],
    volumes: [],
    storageClasses: [],
    csiNodes: [],
    attachments: [],
    replicaSets: [set],
    replicationControllers: [],
    statefulSets: [],
    deployments: [],
  };
}
