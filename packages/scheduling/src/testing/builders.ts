import type { Node, NodeSpec, Pod, PodSpec } from "@kintsugi/api";
import { ClusterState } from "../cluster-state/cluster-state.ts";
import { type PodInfo, podInfoOf } from "../cluster-state/pod-info.ts";
import type { Snapshot } from "../cluster-state/snapshot.ts";

export interface PodDetails {
  namespace?: string;
  uid?: string;
  labels?: Record<string, string>;
  /** UID of the controller that made the pod. */
  owner?: string;
  /** Requests of its one container. */
  requests?: Record<string, string>;
  hostPort?: number;
  terminating?: boolean;
  spec?: Partial<PodSpec>;
  status?: Pod["status"];
}

/** A pod with one container. */
export function aPod(name: string, details: PodDetails = {}): Pod {
  const { namespace = "default", uid = `uid-${name}`, labels, owner, requests, hostPort, terminating, spec } = details;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      uid,
      ...(labels === undefined ? {} : { labels }),
      ...(terminating === true ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
      ...(owner === undefined
        ? {}
        : {
            ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: owner, uid: owner, controller: true }],
          }),
    },
    spec: {
      containers: [
        {
          name: "main",
          image: "app",
          ...(requests === undefined ? {} : { resources: { requests } }),
          ...(hostPort === undefined ? {} : { ports: [{ containerPort: hostPort, hostPort }] }),
        },
      ],
      ...spec,
    },
    ...(details.status === undefined ? {} : { status: details.status }),
  };
}

export interface NodeDetails {
  labels?: Record<string, string>;
  allocatable?: Record<string, string>;
  spec?: NodeSpec;
  images?: { names: string[]; sizeBytes: number }[];
}

/** A node with 4 cores, 8 GiB and room for 110 pods. */
export function aNode(name: string, details: NodeDetails = {}): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: `uid-${name}`, labels: { "kubernetes.io/hostname": name, ...details.labels } },
    spec: details.spec ?? {},
    status: {
      allocatable: { cpu: "4", memory: "8Gi", pods: "110", ...details.allocatable },
      ...(details.images === undefined ? {} : { images: details.images }),
    },
  };
}

export function podInfo(name: string, details: PodDetails = {}): PodInfo {
  return podInfoOf(aPod(name, details));
}

/** A node with a label of its zone. */
export function zoned(name: string, zone: string): Node {
  return aNode(name, { labels: { zone } });
}

/** A cluster with these nodes, and pods on them. */
export function aCluster(nodes: readonly Node[], placed: Readonly<Record<string, readonly Pod[]>> = {}): ClusterState {
  const state = new ClusterState();
  for (const node of nodes) state.putNode(node);
  for (const [nodeName, pods] of Object.entries(placed)) {
    for (const pod of pods) state.putPod(podInfoOf(pod), nodeName);
  }
  return state;
}

/** Returns the cluster without columns, so that every plugin inspects the nodes themselves. */
export function withoutColumns(snapshot: Snapshot): Snapshot {
  return new Proxy(snapshot, {
    get(target, name) {
      if (name === "columns") return undefined;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
