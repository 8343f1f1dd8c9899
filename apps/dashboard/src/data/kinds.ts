import type { KindsRead } from "@kintsugi/explanation";

/** The kinds that the page reads, by their plural names. */
export type ReadKind = keyof KindsRead;

const core = "/api/v1";

interface KindPath {
  readonly group: string;
  readonly isNamespaced: boolean;
}

const kindPaths: Readonly<Record<ReadKind, KindPath>> = {
  pods: { group: core, isNamespaced: true },
  nodes: { group: core, isNamespaced: false },
  leases: { group: "/apis/coordination.k8s.io/v1", isNamespaced: true },
  events: { group: core, isNamespaced: true },
  namespaces: { group: core, isNamespaced: false },
  services: { group: core, isNamespaced: true },
  endpointslices: { group: "/apis/discovery.k8s.io/v1", isNamespaced: true },
  persistentvolumeclaims: { group: core, isNamespaced: true },
  persistentvolumes: { group: core, isNamespaced: false },
  storageclasses: { group: "/apis/storage.k8s.io/v1", isNamespaced: false },
  csinodes: { group: "/apis/storage.k8s.io/v1", isNamespaced: false },
  volumeattachments: { group: "/apis/storage.k8s.io/v1", isNamespaced: false },
  resourceclaims: { group: "/apis/resource.k8s.io/v1", isNamespaced: true },
  volumesnapshots: { group: "/apis/snapshot.storage.k8s.io/v1", isNamespaced: true },
  poddisruptionbudgets: { group: "/apis/policy/v1", isNamespaced: true },
  deployments: { group: "/apis/apps/v1", isNamespaced: true },
  replicasets: { group: "/apis/apps/v1", isNamespaced: true },
  replicationcontrollers: { group: core, isNamespaced: true },
  statefulsets: { group: "/apis/apps/v1", isNamespaced: true },
  daemonsets: { group: "/apis/apps/v1", isNamespaced: true },
  jobs: { group: "/apis/batch/v1", isNamespaced: true },
  cronjobs: { group: "/apis/batch/v1", isNamespaced: true },
  horizontalpodautoscalers: { group: "/apis/autoscaling/v2", isNamespaced: true },
};

/** The path of all objects of a kind, or of one namespace if the page is limited to it. */
export function kindPath(kind: ReadKind, namespace: string): string {
  const { group, isNamespaced } = kindPaths[kind];
  return namespace === "" || !isNamespaced
    ? `${group}/${kind}`
    : `${group}/namespaces/${encodeURIComponent(namespace)}/${kind}`;
}
