import {
  type ControllerRevision,
  formatTimestamp,
  type Node,
  type PersistentVolumeClaim,
  type Pod,
  type StatefulSet,
} from "@kintsugi/api";
import { aNode, ControllerTestCluster } from "../../../testing/test-cluster.ts";

type Spec = NonNullable<StatefulSet["spec"]>;

/** Time that a kubelet needs to start or to end a pod. */
const kubeletMs = 5;

/**
 * A cluster with one StatefulSet named db whose pods are bound, become ready soon, and end when
 * they are deleted, each on a node of its own: db-1 on node-1. A silent node never confirms the end
 * of a pod.
 */
export class StatefulWorld {
  readonly cluster = new ControllerTestCluster();
  readonly silent = new Set<string>();
  /** Every pod that has been created, by name, in order. */
  readonly created: string[] = [];
  /** Rules that were broken at some revision. */
  readonly broken: string[] = [];
  /** The largest number of wanted pods that were not ready at one time, after the first start. */
  mostMissing = 0;
  #known = new Set<string>();

  constructor(spec: Partial<Spec> = {}) {
    const { cluster } = this;
    this.put({ ...aStatefulSet("db"), spec: { ...specOf("busybox:1"), ...spec } });
    for (const ordinal of [0, 1, 2]) {
      cluster.put("nodes", aNode(`node-${ordinal}`, { nowMs: cluster.clock.nowMs() }));
    }
    cluster.api.log.subscribe(() => {
      this.#check();
      void cluster.clock.sleep(kubeletMs).then(() => this.#live());
    });
  }

  get set(): StatefulSet {
    return this.cluster.find<StatefulSet>("statefulsets", "db") as StatefulSet;
  }

  put(set: StatefulSet): void {
    this.cluster.put("statefulsets", set);
  }

  change(spec: Partial<Spec>): void {
    const { set } = this;
    const generation = (set.metadata.generation ?? 0) + 1;
    this.put({ ...set, metadata: { ...set.metadata, generation }, spec: { ...(set.spec as Spec), ...spec } });
  }

  pods(): string[] {
    return this.cluster
      .pods()
      .map(({ metadata, spec }) => `${metadata.name} ${spec?.containers[0]?.image}`)
      .toSorted();
  }

  pod(name: string): Pod {
    return this.cluster.find<Pod>("pods", name) as Pod;
  }

  claims(): PersistentVolumeClaim[] {
    return this.cluster.api.log.list("persistentvolumeclaims") as PersistentVolumeClaim[];
  }

  revisions(): ControllerRevision[] {
    return this.cluster.api.log.list("controllerrevisions") as ControllerRevision[];
  }

  /**
   * Silences the node's kubelet, and sets the status that the control plane writes for a silent
   * node.
   */
  silence(name: string): void {
    this.silent.add(name);
    const node = this.cluster.node(name);
    const lastTransitionTime = formatTimestamp(this.cluster.clock.nowMs());
    const conditions = [{ type: "Ready", status: "Unknown" as const, lastTransitionTime }];
    this.cluster.put("nodes", { ...node, status: { ...node.status, conditions } } as Node);
  }

  /** Evicts a pod by a deletion that its node has to confirm. */
  evict(name: string): void {
    const pod = this.pod(name);
    const deletionTimestamp = formatTimestamp(this.cluster.clock.nowMs());
    this.cluster.put("pods", { ...pod, metadata: { ...pod.metadata, deletionTimestamp } });
  }

  #check(): void {
    for (const pod of this.cluster.pods()) {
      const { name = "", uid = "" } = pod.metadata;
      if (this.#known.has(uid)) continue;
      this.#known.add(uid);
      this.created.push(name);
      this.#checkOrder(pod);
    }
    this.#countMissing();
  }

  #live(): void {
    for (const pod of this.cluster.pods()) {
      const { name = "", deletionTimestamp } = pod.metadata;
      const node = `node-${name.split("-").at(-1)}`;
      if (this.silent.has(node)) continue;
      if (deletionTimestamp !== undefined) return this.cluster.remove("pods", pod);
      if (pod.spec?.nodeName === undefined) return this.#run(pod, node);
    }
  }

  #run(pod: Pod, nodeName: string): void {
    const lastTransitionTime = formatTimestamp(this.cluster.clock.nowMs());
    const conditions = [{ type: "Ready", status: "True" as const, lastTransitionTime }];
    this.cluster.put("pods", {
      ...pod,
      spec: { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName },
      status: { phase: "Running", conditions },
    } as Pod);
  }

  /** An ordered set creates a pod only when the pods before it are ready. */
  #checkOrder({ metadata }: Pod): void {
    const ordinal = Number(metadata.name?.split("-").at(-1));
    for (let before = 0; before < ordinal; before++) {
      const pod = this.cluster.find<Pod>("pods", `db-${before}`);
      if (pod?.status?.phase !== "Running")
        this.broken.push(`${metadata.name} was created before db-${before} was ready`);
    }
  }

  #countMissing(): void {
    const ready = this.cluster
      .pods()
      .filter(({ metadata, status }) => status?.phase === "Running" && metadata.deletionTimestamp === undefined);
    if (this.created.length >= 3) this.mostMissing = Math.max(this.mostMissing, 3 - ready.length);
  }
}

export function aStatefulSet(name: string): StatefulSet {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name, namespace: "default", uid: `uid-of-${name}`, generation: 1 },
    spec: specOf("busybox:1"),
  };
}

function specOf(image: string): Spec {
  return {
    replicas: 3,
    selector: { matchLabels: { app: "db" } },
    template: imageTemplate(image),
    podManagementPolicy: "OrderedReady",
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
    revisionHistoryLimit: 10,
  };
}

export function imageTemplate(image: string): Spec["template"] {
  return { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "main", image }] } };
}
