import {
  type ApiObject,
  configMaps,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  daemonSets,
  events,
  leases,
  namespaces,
  type Node,
  nodes,
  parseIpv4Range,
  persistentVolumeClaims,
  persistentVolumes,
  type Pod,
  podDisruptionBudgets,
  pods,
  type ResourceType,
  type Service,
  services,
  silentLogger,
  silentMetrics,
  storageClasses,
  volumeAttachments,
} from "@kintsugi/api";
import { type Client, createInProcessClient, type RequestHandler } from "@kintsugi/client";
import { MemoryApi } from "@kintsugi/client/testing";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { runCloudControllers } from "@kintsugi/cloud-controller-manager/factory";
import { type CloudProvider, emptyRecord } from "@kintsugi/cloud";
import { aGroup, FakeLabCloud } from "@kintsugi/cloud/simulated";
import { type AutoscalerOptions, runClusterAutoscaler, upstreamOptions } from "@kintsugi/cluster-autoscaler/factory";
import { withEvictions, withInjectedFaults } from "./injected-cloud-faults.ts";
import { ClusterState, decide, defaultPlugins, podInfoOf } from "@kintsugi/scheduling";

// One run: the real cloud controller manager and the real autoscaler over the rules of a real cloud
// record, in virtual time. Scheduler, kubelets and owners of pods are small fakes; the scheduler's
// decisions are the real ones. First, calls of the cloud fail, lose their answers and return wrong
// answers, machines end, and desired sizes change; then all faults end and the cluster has to
// become idle.

/** The kinds that the programs of a cloud read and write. */
export const cloudKinds: readonly ResourceType[] = [
  configMaps,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  daemonSets,
  events,
  leases,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  services,
  storageClasses,
  volumeAttachments,
];

/** The lab's timers, so that a run of half an hour has many removals. */
export const runOptions: AutoscalerOptions = {
  ...upstreamOptions,
  scanIntervalMs: 1_000,
  unneededMs: 20_000,
  delayAfterAddMs: 20_000,
  delayAfterFailureMs: 20_000,
  unreadyMs: 60_000,
  provisionMaxMs: 60_000,
  drainMaxMs: 60_000,
  backoffInitialMs: 5_000,
  backoffMaxMs: 30_000,
};

export interface RunBugs {
  readonly options?: Partial<AutoscalerOptions>;
  /** Modifies the cloud under both services. */
  readonly cloud?: (cloud: FakeLabCloud) => CloudProvider;
  /** Modifies the API server under both services. */
  readonly handler?: (handler: RequestHandler, run: CloudRun) => RequestHandler;
}

const stepMs = 500;
const restlessMs = 5 * 60_000;
const restMs = 5 * 60_000;
/** A person's machines, which the autoscaler never touches. */
const fixedNames = ["node-1", "node-2"];
const balancerFinalizer = "service.kubernetes.io/load-balancer-cleanup";

export class CloudRun {
  readonly clock = new VirtualClock();
  readonly random: SeededRandom;
  readonly cloud: FakeLabCloud;
  readonly client: Client;
  readonly violations: string[] = [];
  readonly #api: MemoryApi;
  readonly #bugs: RunBugs;
  readonly #stop = new AbortController();
  readonly #wanted = new Map([
    ["big", { cpu: "900m", replicas: 1 }],
    ["small", { cpu: "300m", replicas: 1 }],
    // No machine helps these pods, and they do not prevent the removal of a machine.
    ["huge", { cpu: "9", replicas: 1 }],
  ]);
  readonly #registerAtMs = new Map<string, number>();
  readonly #endedByPerson = new Set<string>();
  #recentWaiting: number[] = [];
  #serial = 0;
  #restless = true;
  #lastChangeMs = 0;
  #target = 0;
  #reported = new Set<string>();

  constructor(seed: number, bugs: RunBugs = {}) {
    this.#bugs = bugs;
    this.random = new SeededRandom(seed);
    this.cloud = new FakeLabCloud(this, {
      ...emptyRecord,
      groups: [aGroup("pool", { max: 3 }), aGroup("spare", { max: 2, priority: -1 })],
    });
    this.#api = new MemoryApi(this, cloudKinds);
    this.client = this.#connect();
    const { host } = this.cloud;
    host.onMade = (name) => this.#registerAtMs.set(name, this.nowMs + 1_000 + this.random.integer(4_000));
    host.onRemoved = (name) => void this.#checkRemoved(name);
    for (const name of fixedNames) host.add(name);
  }

  get nowMs(): number {
    return this.clock.monotonicMs();
  }

  /** Runs to the end; returns the violations. */
  async live(): Promise<readonly string[]> {
    await this.client.create(namespaces, { metadata: { name: "default" } } as ApiObject as never);
    this.#startServices();
    for (; this.nowMs < restlessMs + restMs;) {
      if (this.#restless && this.nowMs >= restlessMs) this.#restless = false;
      if (this.#restless) await this.#disturb();
      await this.cloud.settle();
      await this.#stepMachines();
      await this.#stepOwners();
      await this.#stepScheduler();
      await this.#check();
      await this.clock.advance(stepMs);
      if (this.violations.length > 0) break;
    }
    if (this.violations.length === 0) await this.#checkRest();
    this.#stop.abort();
    return this.violations;
  }

  #connect(handler: RequestHandler = this.#api): Client {
    const { clock, random } = this;
    return createInProcessClient({ handler, clock, random }, { identity: { name: "test", groups: [] } });
  }

  #startServices(): void {
    const { clock, random } = this;
    const { cloud: other = (cloud: FakeLabCloud) => cloud } = this.#bugs;
    const happens = (share: number) => this.#restless && this.#chance(share);
    const evicting = withEvictions(this.#api, happens);
    const handler = this.#bugs.handler?.(evicting, this) ?? evicting;
    const own = () => ({
      client: this.#connect(handler),
      clock,
      random,
      log: silentLogger,
      metrics: silentMetrics,
      cloud: withInjectedFaults(other(this.cloud), happens),
    });
    const timers = { nodeMonitorPeriodMs: 1_000, nodeStatusUpdateMs: 30_000, serviceSyncPeriodMs: 10_000 };
    const scaling = { ...runOptions, ...this.#bugs.options };
    const { signal } = this.#stop;
    const ended = (error: unknown) =>
      void (signal.aborted || this.violations.push(`a service ended: ${String(error)}`));
    const routes = { clusterRange: parseIpv4Range("10.0.0.0/8"), periodMs: 2_000 };
    runCloudControllers(own(), { timers, routes }, signal).catch(ended);
    runClusterAutoscaler(own(), { scaling }, signal).catch(ended);
  }

  async #disturb(): Promise<void> {
    if (this.#chance(0.02)) {
      const [, group] = [...this.#wanted][this.random.integer(2)] ?? [];
      if (group !== undefined) group.replicas = this.random.integer(8);
    }
    if (this.#chance(0.01)) await this.#endMachine();
    if (this.#chance(0.02)) await this.#changeService(`web-${this.random.integer(2)}`);
  }

  async #endMachine(): Promise<void> {
    const names = [...this.cloud.host.machines.keys()].filter((name) => name !== "node-1");
    const name = names[this.random.integer(Math.max(1, names.length))];
    if (name === undefined) return;
    this.#endedByPerson.add(name);
    const action = this.#chance(0.5) ? "terminate" : this.#chance(0.5) ? "stop" : "start";
    await this.cloud.actOnInstance({ name, action });
  }

  async #changeService(name: string): Promise<void> {
    const key = { namespace: "default", name };
    const present = await this.client.find(services, key);
    if (present === undefined) {
      const ports = [{ port: 80, protocol: "TCP", nodePort: 30_000 + this.#serial++ }];
      const metadata = { name, namespace: "default" };
      await this.client.create(services, { metadata, spec: { type: "LoadBalancer", ports } } as Service);
      return;
    }
    if (present.metadata.deletionTimestamp !== undefined) return;
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    await this.#write(services, { ...present, metadata: { ...present.metadata, deletionTimestamp } });
  }

  /** Makes kubelets register and report, and the API server delete Services without finalizers. */
  async #stepMachines(): Promise<void> {
    const { host } = this.cloud;
    const present = new Map((await this.client.list(nodes)).items.map((node) => [node.metadata.name ?? "", node]));
    for (const [name, machine] of host.machines) {
      const isDue = (this.#registerAtMs.get(name) ?? 0) <= this.nowMs;
      if (machine.state === "running" && isDue && !present.has(name)) await this.#register(name);
    }
    for (const [name, node] of present) {
      const ready = host.machines.get(name)?.state === "running" ? "True" : "Unknown";
      if (node.status?.conditions?.[0]?.status === ready) continue;
      const taints = (node.spec?.taints ?? []).filter(({ key }) => key !== "node.kubernetes.io/unreachable");
      const unreachable = { key: "node.kubernetes.io/unreachable", effect: "NoSchedule" as const };
      const spec = { ...node.spec, taints: ready === "True" ? taints : [...taints, unreachable] };
      const status = { ...node.status, conditions: [{ type: "Ready", status: ready }] };
      await this.#write(nodes, { ...node, spec, status } as Node);
    }
    for (const service of (await this.client.list(services)).items) {
      const { name = "", deletionTimestamp, finalizers = [] } = service.metadata;
      if (deletionTimestamp === undefined || finalizers.length > 0) continue;
      await this.client.delete(services, { namespace: "default", name }).catch(() => {});
    }
  }

  async #register(name: string): Promise<void> {
    const cpu = fixedNames.includes(name) ? "1" : "2";
    const podCIDR = `10.1.${this.#serial++ % 250}.0/24`;
    const allocatable = { cpu, memory: "4Gi", pods: "20" };
    const taints = [{ key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" }];
    await this.client.create(nodes, {
      metadata: { name, labels: { "kubernetes.io/hostname": name } },
      spec: { taints, podCIDR, podCIDRs: [podCIDR] },
      status: { allocatable, capacity: allocatable, conditions: [{ type: "Ready", status: "True" }] },
    } as Node);
  }

  async #stepOwners(): Promise<void> {
    const present = new Set((await this.client.list(nodes)).items.map(({ metadata }) => metadata.name));
    const all = (await this.client.list(pods)).items;
    for (const pod of all) {
      const nodeName = pod.spec?.nodeName ?? "";
      if (nodeName !== "" && !present.has(nodeName)) await this.#delete(pod);
    }
    for (const [owner, { cpu, replicas }] of this.#wanted) {
      const own = all.filter(({ metadata }) => metadata.labels?.["app"] === owner);
      for (const pod of own.slice(replicas)) await this.#delete(pod);
      for (let count = own.length; count < replicas; count++) {
        const controller = { apiVersion: "apps/v1", kind: "ReplicaSet", name: owner, uid: owner, controller: true };
        await this.client.create(pods, {
          metadata: {
            name: `${owner}-${this.#serial++}`,
            namespace: "default",
            labels: { app: owner },
            ownerReferences: [controller],
          },
          spec: { containers: [{ name: "c", image: "busybox:1", resources: { requests: { cpu } } }] },
          status: {},
        } as Pod);
      }
    }
  }

  async #stepScheduler(): Promise<void> {
    const all = (await this.client.list(pods)).items;
    const state = new ClusterState();
    for (const node of (await this.client.list(nodes)).items) state.putNode(node);
    for (const pod of all)
      if ((pod.spec?.nodeName ?? "") !== "") state.putPod(podInfoOf(pod), pod.spec?.nodeName ?? "");
    let waiting = 0;
    for (const pod of all.filter(({ spec }) => (spec?.nodeName ?? "") === "")) {
      const info = podInfoOf(pod);
      const decision = decide(info, state, { plugins: defaultPlugins, tieBreaker: this.random.integer(1000) / 1000 });
      if (decision.placed) {
        state.putPod(info, decision.node);
        await this.#write(pods, { ...pod, spec: { ...pod.spec, nodeName: decision.node } } as Pod);
        continue;
      }
      if (pod.metadata.labels?.["app"] !== "huge") waiting++;
      const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }];
      if (pod.status?.conditions === undefined) await this.#write(pods, { ...pod, status: { conditions } } as Pod);
    }
    // The autoscaler may act on the results of some rounds ago.
    this.#recentWaiting = [...this.#recentWaiting.slice(-10), waiting];
  }

  /**
   * Checks that a cloud that fails or returns wrong answers never removes a node whose kubelet
   * reports.
   */
  async #checkTaken(): Promise<void> {
    const present = (await this.client.list(nodes)).items;
    const names = new Set(present.map(({ metadata }) => metadata.name));
    for (const name of this.#reported)
      if (!names.has(name) && this.cloud.host.machines.get(name)?.state === "running")
        this.violations.push(`taken: node ${name} is gone, and its machine runs`);
    const ready = present.filter(({ status }) => status?.conditions?.[0]?.status === "True");
    this.#reported = new Set(ready.map(({ metadata }) => metadata.name ?? ""));
  }

  async #check(): Promise<void> {
    await this.#checkTaken();
    const staying = this.cloud.record.groups.flatMap(({ name, min, max, machines }) => {
      const own = machines.filter(({ state }) => state !== "leaving");
      if (own.length > max || own.length < min)
        this.violations.push(`bounds: the group ${name} has ${own.length} machines`);
      return own;
    });
    if (staying.length > this.#target) {
      const present = (await this.client.list(nodes)).items;
      const initialized = new Set(
        present.filter(({ spec }) => (spec?.providerID ?? "") !== "").map(({ metadata }) => metadata.name),
      );
      const coming = staying.filter(({ name }) => !initialized.has(name)).length;
      if (coming > Math.max(...this.#recentWaiting))
        this.violations.push(`orders: ${coming} machines are to come, for ${Math.max(...this.#recentWaiting)} pods`);
    }
    if (staying.length !== this.#target) this.#lastChangeMs = this.nowMs;
    this.#target = staying.length;
    const held = (await this.client.list(services)).items.filter(({ metadata }) =>
      metadata.finalizers?.includes(balancerFinalizer),
    );
    const names = new Set(held.map(({ metadata }) => `default/${metadata.name}`));
    for (const { spec } of this.cloud.record.balancers)
      if (!names.has(spec.description))
        this.violations.push(`orphans: ${spec.description} has a balancer that nothing holds`);
  }

  /**
   * Checks a machine that was removed without a person. The autoscaler has removed it, so it must
   * not have run pods.
   */
  async #checkRemoved(name: string): Promise<void> {
    if (this.#endedByPerson.has(name)) return;
    const node = await this.client.find(nodes, { namespace: "", name });
    if (node?.status?.conditions?.[0]?.status !== "True") return;
    const left = (await this.client.list(pods)).items.filter(({ spec }) => spec?.nodeName === name);
    if (left.length > 0) this.violations.push(`drained: ${name} went with ${left.length} pods on it`);
  }

  async #checkRest(): Promise<void> {
    const idleMs = this.nowMs - this.#lastChangeMs;
    if (idleMs < restMs / 2) this.violations.push(`quiet: the group changed ${idleMs} ms before the end`);
    const waiting = this.#recentWaiting.at(-1) ?? 0;
    const room = this.cloud.record.groups.reduce((sum, { max }) => sum + max, 0) - this.#target;
    if (waiting > 0 && room > 0) this.violations.push(`served: ${waiting} pods wait beside a group with room`);
    const present = (await this.client.list(nodes)).items;
    const targets = present
      .filter(({ spec }) => (spec?.providerID ?? "") !== "")
      .map(({ metadata }) => metadata.name ?? "");
    for (const service of (await this.client.list(services)).items) {
      const { name, deletionTimestamp } = service.metadata;
      const balancer = this.cloud.record.balancers.find(({ spec }) => spec.description === `default/${name}`);
      const has = (balancer?.spec.targets ?? []).map((target) => target.name);
      if (deletionTimestamp !== undefined) this.violations.push(`deleted: Service ${name} never goes`);
      else if (has.join() !== targets.toSorted().join())
        this.violations.push(`targets: ${name} leads to ${has.join()}, not ${targets.join()}`);
    }
    const ranges = present.map(({ spec }) => spec?.podCIDR ?? "").toSorted();
    const led = this.cloud.record.routes.map(({ cidr }) => cidr).toSorted();
    if (led.join() !== ranges.join()) this.violations.push(`routes: ${led.join()}, not ${ranges.join()}`);
    for (const { metadata } of present) {
      const state = this.cloud.host.machines.get(metadata.name ?? "");
      if (state === undefined) this.violations.push(`gone: node ${metadata.name} has no machine`);
    }
  }

  async #write<T extends ApiObject>(type: ResourceType<T>, object: T): Promise<void> {
    // A service may have written first. The next step reads the object again.
    await this.client.update(type, object).catch(() => {});
  }

  async #delete({ metadata }: Pod): Promise<void> {
    await this.client.delete(pods, { namespace: "default", name: metadata.name ?? "" }).catch(() => {});
  }

  #chance(share: number): boolean {
    return this.random.integer(10_000) < share * 10_000;
  }
}
