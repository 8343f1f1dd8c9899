import type { Node, Pod, ReplicaSet, Taint } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import type { ContainerHappening, ContainerWitness } from "@kintsugi/cri/simulated";
import {
  QuietPeriod,
  type Copy,
  type Hear,
  Invariants,
  type Level,
  MachineClock,
  type RequestWitness,
  type StreamWitness,
  Wire,
} from "@kintsugi/simulation";
import { MemoryStore } from "@kintsugi/store/simulated";

/** A store without a cluster, into which a test writes changes that a cluster must never write. */
export function openWorld() {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock });
  const quietPeriod = new QuietPeriod({ clock });
  const machineClock = new MachineClock(clock);
  let ended = 0;
  const witnesses = new Map<string, ContainerWitness>();
  let ask: RequestWitness = () => undefined;
  const runtimeOf = (node: string) => ({
    witness: (witness: ContainerWitness) => (witnesses.set(node, witness), () => {}),
  });
  const server = { witness: (witness: RequestWitness) => void (ask = witness) };
  let hear: Hear = () => {};
  const copies: Copy[] = [];
  const levels: Level[] = [];
  const wire = new Wire();
  const scheduler = { isPaused: false };
  const kubelet = { machineClock, isRunning: true, isPaused: false };
  const calls = { isFaulty: false };
  const cluster = {
    quietPeriod,
    copies: { all: () => copies },
    levels: { all: () => levels },
    overhear: (next: Hear) => void (hear = next),
    nodes: ["n1", "n2"].map((name) => ({ name, runtime: runtimeOf(name), kubelet, calls, isRuntimeUp: true })),
    controllerManager: { machineClock, isPaused: false },
    server,
    wireOf: () => wire,
    scheduler,
  };
  const invariants = new Invariants({ store, clock, cluster, onViolation: () => ended++ });
  const write = (key: string, object: object, type: "put" | "delete") =>
    store.update(key, () => ({ [type]: encoded(object), index: indexOf(object), result: undefined }) as never);
  const put = (key: string, object: object) => write(key, object, "put");
  const putPod = (pod: Pod) => put(`core/pods/default/${pod.metadata.name}`, pod);
  return {
    clock,
    store,
    quietPeriod,
    /** The copies with which processes follow the server. */
    copies,
    /** The fill levels of the work queues of its processes. */
    levels,
    /** The connection between the API server and each service. */
    wire,
    scheduler,
    /** The kubelet of each node. */
    kubelet,
    calls,
    /** The clock of all machines. */
    machineClock,
    invariants,
    /** Reports a change of a container, on n1 unless the container names another node. */
    happens: (type: ContainerHappening["type"], container: ContainerTraits) =>
      witnesses.get(container.node ?? "n1")?.(aHappening(type, container)),
    /**
     * Sends a request that the server answers, with 200 by default. During the request, changes may
     * be committed.
     */
    granted: async (request: RequestTraits, meanwhile: () => Promise<unknown> = () => Promise.resolve()) => {
      const answered = ask(aRequest(request));
      await meanwhile();
      answered?.({ status: request.status ?? 200, headers: {}, body: bytes(request.answer ?? {}) });
    },
    /** Opens a watch that the server grants. */
    watched: ({ path, user }: { path: string; user: string }): StreamWitness | undefined => {
      const answered = ask(aRequest({ method: "GET", path, user }));
      const nothing = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
      return answered?.({ status: 200, headers: {}, body: nothing });
    },
    /** Sends a message over the bus, or logs it. */
    says: (where: "bus" | "log", text: string) => hear(where, () => Buffer.from(text)),
    get ended() {
      return ended;
    },
    /** The first violation: its name and message. */
    found: () => [invariants.violation?.invariant, invariants.violation?.message],
    put,
    remove: (key: string, object: object) => write(key, object, "delete"),
    putNode: (node: Node) => put(`core/nodes/_/${node.metadata.name}`, node),
    putPod,
    /** Creates a pod, and binds it to the node. */
    bind: async (name: string, nodeName: string) => {
      for (const pod of [aPod(name), aPod(name, { nodeName })]) await putPod(pod);
    },
    removePod: (pod: Pod) => write(`core/pods/default/${pod.metadata.name}`, pod, "delete"),
    putSet: (set: ReplicaSet) => put(`apps/replicasets/default/${set.metadata.name}`, set),
    /** Lets the cluster run for a time, in which a Lease is renewed every 2 s. */
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

export interface ContainerTraits {
  id: string;
  pod: string;
  /** The pod's. */
  uid?: string;
  /** Default n1. */
  node?: string;
  attempt?: number;
  /** Default 0. */
  exitCode?: number;
  sandboxReady?: boolean;
}

function aHappening(
  type: ContainerHappening["type"],
  { id, pod, uid = `uid-of-${pod}`, attempt = 0, exitCode = 0, sandboxReady = true }: ContainerTraits,
): ContainerHappening {
  const labels = {
    "io.kubernetes.pod.namespace": "default",
    "io.kubernetes.pod.name": pod,
    "io.kubernetes.pod.uid": uid,
  };
  const container = {
    id,
    labels,
    metadata: { name: "main", attempt },
    exitCode,
  } as unknown as ContainerHappening["container"];
  return { type, container, sandboxId: "sandbox", sandboxReady };
}

export interface RequestTraits {
  method: string;
  path: string;
  user: string;
  body?: object;
  answer?: object;
  /** Default 200. */
  status?: number;
  /** The client that sent it has disconnected. */
  isForsaken?: boolean;
}

function aRequest({ method, path, user, body, isForsaken }: RequestTraits) {
  const identity = { name: user, groups: [] };
  const { signal } = isForsaken ? { signal: AbortSignal.abort() } : new AbortController();
  return { method, path, headers: {}, identity, signal, ...(body ? { body: bytes(body) } : {}) };
}

function bytes(object: object): Uint8Array {
  return Buffer.from(JSON.stringify(object));
}

/** The store writes the revision between the two parts. */
function encoded(object: object) {
  return { head: Buffer.from(`${JSON.stringify(object).slice(0, -1)},"revision":`), tail: Buffer.from("}") };
}

function indexOf(object: object) {
  const { metadata = {}, spec } = object as Partial<Pod>;
  const { uid = "", deletionTimestamp, ownerReferences } = metadata;
  return {
    uid,
    ...(deletionTimestamp === undefined ? {} : { deleting: true }),
    ...(ownerReferences ? { owners: ownerReferences.map((owner) => owner.uid) } : {}),
    ...(spec?.nodeName === undefined ? {} : { fields: { "spec.nodeName": spec.nodeName } }),
  };
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
