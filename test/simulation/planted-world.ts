import type { Node, Pod, ReplicaSet, Taint } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/testing";
import { Invariants } from "@kintsugi/simulation";
import { MemoryStore } from "@kintsugi/store/testing";

/** A store without a cluster, into which a test writes what no cluster may ever write. */
export function openWorld() {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock });
  let ended = 0;
  const invariants = new Invariants({ store, clock, onViolation: () => ended++ });
  const write = (key: string, object: object, type: "put" | "delete") =>
    store.update(key, () => ({ [type]: encoded(object), index: indexOf(object), result: undefined }) as never);
  const put = (key: string, object: object) => write(key, object, "put");
  return {
    clock,
    invariants,
    get ended() {
      return ended;
    },
    /** The first violation: its name and message. */
    found: () => [invariants.violation?.invariant, invariants.violation?.message],
    put,
    remove: (key: string, object: object) => write(key, object, "delete"),
    putNode: (node: Node) => put(`core/nodes/_/${node.metadata.name}`, node),
    putPod: (pod: Pod) => put(`core/pods/default/${pod.metadata.name}`, pod),
    removePod: (pod: Pod) => write(`core/pods/default/${pod.metadata.name}`, pod, "delete"),
    putSet: (set: ReplicaSet) => put(`apps/replicasets/default/${set.metadata.name}`, set),
    /** Time in which the cluster lives: some Lease is renewed every 2 s. */
    live: async (durationMs: number) => {
      for (let passedMs = 0; passedMs < durationMs; passedMs += 2000) {
        await clock.advance(Math.min(2000, durationMs - passedMs));
        await put("coordination.k8s.io/leases/kube-system/someone", { metadata: { name: "someone" } });
      }
    },
    lead: (holderIdentity: string) =>
      put("coordination.k8s.io/leases/kube-system/kube-controller-manager", { metadata: {}, spec: { holderIdentity } }),
    renew: (node: string) => put(`coordination.k8s.io/leases/kube-node-lease/${node}`, { metadata: { name: node } }),
  };
}

/** The store writes the revision between the two parts. */
function encoded(object: object) {
  return { head: Buffer.from(`${JSON.stringify(object).slice(0, -1)},"revision":`), tail: Buffer.from("}") };
}

function indexOf(object: object) {
  const { uid = "", deletionTimestamp } = (object as Partial<Pod>).metadata ?? {};
  return { uid, ...(deletionTimestamp === undefined ? {} : { deleting: true }) };
}

export interface NodeTraits {
  cpu?: string;
  ready?: "True" | "False" | "Unknown";
  taints?: Taint[];
  cordoned?: boolean;
  zone?: string;
}

export function aNode(name: string, { cpu = "2", ready = "True", taints, cordoned, zone }: NodeTraits = {}): Node {
  return {
    metadata: { name, uid: `uid-of-${name}`, ...(zone ? { labels: { "topology.kubernetes.io/zone": zone } } : {}) },
    spec: { ...(taints ? { taints } : {}), ...(cordoned ? { unschedulable: true } : {}) },
    status: {
      allocatable: { cpu, memory: "1Gi", pods: "3" },
      conditions: [{ type: "Ready", status: ready }],
    },
  };
}

export function aTaint(effect: Taint["effect"], timeAdded?: string): Taint {
  return { key: "node.kubernetes.io/unreachable", effect, ...(timeAdded ? { timeAdded } : {}) };
}

export function aSet(replicas: number): ReplicaSet {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [] } };
  return {
    metadata: { name: "web", namespace: "default", uid: "set" },
    spec: { replicas, selector: { matchLabels: { app: "web" } }, template },
  };
}

export interface PodTraits {
  uid?: string;
  nodeName?: string;
  cpu?: string;
  hostPort?: number;
  ip?: string;
  owned?: boolean;
  phase?: NonNullable<NonNullable<Pod["status"]>["phase"]>;
  restarts?: number;
  metadata?: Partial<Pod["metadata"]>;
  spec?: Partial<Pod["spec"]>;
  conditions?: NonNullable<Pod["status"]>["conditions"];
}

export function aPod(name: string, traits: PodTraits = {}): Pod {
  const { uid = `uid-of-${name}`, nodeName, cpu, hostPort, ip, owned, phase = "Running", restarts = 0 } = traits;
  const requests = cpu === undefined ? {} : { cpu };
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "set", controller: true };
  const ports = hostPort === undefined ? {} : { ports: [{ hostPort, containerPort: 80 }] };
  return {
    metadata: { namespace: "default", name, uid, ...(owned ? { ownerReferences: [owner] } : {}), ...traits.metadata },
    spec: {
      containers: [{ name: "main", resources: { requests }, ...ports }],
      ...(nodeName === undefined ? {} : { nodeName }),
      ...traits.spec,
    },
    status: {
      phase,
      ...(ip === undefined ? {} : { podIP: ip }),
      ...(traits.conditions ? { conditions: traits.conditions } : {}),
      containerStatuses: [{ name: "main", restartCount: restarts, ready: true, image: "", imageID: "" }],
    },
  };
}
