import { type Logger, nodes, type ParseChanged, silentLogger, type TimerProfile } from "@kintsugi/api";
import type { ServerOptions } from "@kintsugi/api-server/factory";
import { type Client, createInProcessClient, type RequestHandler } from "@kintsugi/client";
import { VirtualClock, advanceUntilDone } from "@kintsugi/clock/simulated";
import { MemoryStore } from "@kintsugi/store/simulated";
import { BusChangeStream } from "@kintsugi/watch-stream";
import { MemoryBus } from "@kintsugi/watch-stream/simulated";
import {
  BusLinks,
  QuietPeriod,
  type CommittedStore,
  connectTo,
  Copies,
  type Death,
  SeededRandomSource,
  type Hear,
  isReady,
  keptDefault,
  type KeptHistory,
  LastingMemory,
  Latency,
  Levels,
  Loads,
  type Incarnation,
  overheard,
  ReadOnce,
  type RequestHook,
  type RequestWitness,
  type ScenarioNode,
  ServerDisk,
  type ServerStorage,
  type SimulatedControlPlane,
  Trace,
  type VirtualProcess,
  Wire,
} from "@kintsugi/simulation";
import type { Connecting, ProcessOwner } from "./service-deps.ts";
import { ControlPlanes } from "./control-planes.ts";
import { controllerManagerProcess, schedulerProcess } from "./control-plane.ts";
import { KubeletMetrics } from "./kubelets/kubelet-metrics.ts";
import { completeTimers, serverTimers } from "./timers.ts";
import type { VirtualClusterOptions } from "./virtual-cluster-options.ts";
import { type NodeConnections, VirtualNode } from "./virtual-node.ts";
import { VirtualServer, type VirtualServerDeps } from "./virtual-server.ts";
import { VirtualStorage } from "./virtual-storage.ts";

const clusterName = "virtual";
/** A new cluster has its nodes Ready within seconds; a cluster that takes longer is broken. */
const startupSecondsMax = 60;
/** Longer than any request may take, and any restart of the api-server. */
const patienceMs = 600_000;

/**
 * Starts the services of a whole cluster in this process, on a clock that advances only on demand,
 * with every node Ready.
 */
export async function startVirtualCluster(options: VirtualClusterOptions = {}): Promise<VirtualCluster> {
  const cluster = new VirtualCluster(options);
  await cluster.start();
  return cluster;
}

export class VirtualCluster implements AsyncDisposable {
  readonly timers: TimerProfile;
  /**
   * Store, bus, runtimes and requests are function calls here, so only promises have to be awaited.
   */
  readonly clock = new VirtualClock({ settles: "promises" });
  readonly quietPeriod = new QuietPeriod({ clock: this.clock });
  readonly copies = new Copies();
  readonly levels = new Levels();
  readonly #kubeletMetrics: KubeletMetrics;
  readonly loads = new Loads(() => this.#kubeletMetrics.count());
  /** All randomness here comes from this source, for each part by its name. */
  readonly randomSource: SeededRandomSource;
  readonly objects: ReadOnce;
  readonly store: CommittedStore;
  readonly trace: Trace;
  readonly bus: BusLinks | undefined;
  readonly server: VirtualServer;
  readonly scheduler: VirtualProcess;
  readonly controllerManager: VirtualProcess;
  readonly nodes: readonly VirtualNode[];
  readonly storage: VirtualStorage | undefined;
  /** The client of a user with all rights. */
  readonly client: Client;
  /** Processes that ended by themselves. */
  readonly deaths: Death[] = [];
  /**
   * Called with each request of a service before it is sent: "controller-manager", or a node's
   * name.
   */
  onRequestOf: Record<string, RequestHook | undefined> = {};
  readonly leaderElection: boolean;
  readonly #wires = new Map<string, Wire>();
  readonly #extras = new Set<VirtualProcess>();
  /** All processes here receive the same changes, so they share the parsed objects. */
  readonly #parse: ParseChanged = (bytes, revision) => this.objects.read(bytes, revision);
  readonly #startSecond: (service: "scheduler" | "controller-manager", name: string) => VirtualProcess;
  readonly #shared: ControlPlanes | undefined;
  #seconds = 0;
  #hear: Hear | undefined;
  readonly #latency: Latency;
  readonly #log: Logger;

  constructor(options: VirtualClusterOptions) {
    const {
      leaderElection = true,
      rebalance = false,
      profile = "kubernetes",
      seed = 1,
      servers = 1,
      bus = servers === 1,
      log: lines = silentLogger,
      maxPods,
    } = options;
    const log = overheard(lines, (line) => this.#hear?.("log", line));
    this.leaderElection = leaderElection;
    const timers = completeTimers(profile, options.timers);
    this.timers = timers;
    const { clock } = this;
    const randomSource = new SeededRandomSource(seed);
    this.randomSource = randomSource;
    this.#log = log;
    this.objects = new ReadOnce({ frozen: options.frozen });
    const { disk, kept = keptDefault } = options;
    const store = { clock, random: randomSource.of("store") };
    const windows = { windowEventsMin: kept.eventsMin, windowMs: kept.durationMs };
    this.#shared = servers > 1 ? new ControlPlanes({ clock, randomSource }, { count: servers, windows }) : undefined;
    const storage =
      disk === false
        ? new LastingMemory(new MemoryStore(store, windows))
        : new ServerDisk(store, { ...windows, ...disk });
    this.store = this.#shared?.committed ?? storage.committed;
    this.trace = new Trace({ store: this.store, clock });
    this.#latency = new Latency({ clock, randomSource }, { maxMs: options.latencyMaxMs ?? 0 });
    this.bus = bus ? new BusLinks(new MemoryBus({ clock }), ({ to }) => this.#latency.fateTo(to)) : undefined;
    const onDeath = (death: Death) => {
      this.deaths.push(death);
      log.error("process died", { process: death.process, error: death.error });
    };
    const { levels } = this;
    const deps = { clock, randomSource, log, levels, onDeath };
    const wire = new Wire();
    this.#wires.set("api-server", wire);
    this.#kubeletMetrics = new KubeletMetrics(this);
    this.server = this.#makeServer(
      { ...deps, bus: this.bus, wire, kubelets: this.#kubeletMetrics },
      { storage, options: { ...serverTimers(timers), ...maintenance(kept), clusterName } },
    );
    this.client = createInProcessClient(
      { handler: this.#entryPoint(), clock, random: randomSource.of("client of admin") },
      { identity: { name: "admin", groups: ["system:masters", "system:authenticated"] } },
    );
    const connect = (service: string, owner: ProcessOwner) => {
      return this.#connect({ name: userOf(service), groups: [], wire: this.wireOf(service), hook: service, ...owner });
    };
    this.scheduler = schedulerProcess({ ...deps, connect }, { timers, leaderElection });
    this.controllerManager = controllerManagerProcess({ ...deps, connect }, { timers, leaderElection, rebalance });
    this.#startSecond = (service, name) => {
      const start = service === "scheduler" ? schedulerProcess : controllerManagerProcess;
      return start({ ...deps, connect }, { timers, leaderElection, rebalance, name });
    };
    this.storage = options.storage === true ? new VirtualStorage({ ...deps, connect }) : undefined;
    const connectNode = ({ name, wire }: VirtualNode, owner: ProcessOwner) =>
      this.#connect({ name: `system:node:${name}`, groups: ["system:nodes"], wire, hook: name, ...owner });
    this.nodes = namedNodes(options.nodes ?? 3).map(
      ({ name, zone }, index) =>
        new VirtualNode(
          { ...deps, connect: connectNode, storage: this.storage, store: options.devices ? this.store : undefined },
          { name, number: index + 1, timers, zone, maxPods },
        ),
    );
    for (const node of this.nodes) this.#kubeletMetrics.follow(node);
  }

  /** The machines of a control plane with several servers; empty with one server. */
  get controlPlanes(): readonly SimulatedControlPlane[] {
    return this.#shared?.machines ?? [];
  }

  /** Virtual time since the cluster began. */
  get nowMs(): number {
    return this.clock.monotonicMs();
  }

  async start(): Promise<void> {
    if (this.#shared === undefined) this.server.process.start();
    await this.during(this.#shared?.start() ?? this.server.ready);
    this.controllerManager.start();
    this.scheduler.start();
    this.#shared?.addServices([this.scheduler, this.controllerManager], () => [
      this.startSecond("scheduler"),
      this.startSecond("controller-manager"),
    ]);
    this.storage?.process.start();
    for (const { kubelet } of this.nodes) kubelet.start();
    for (let seconds = 0; seconds < startupSecondsMax; seconds++) {
      await this.advance(1000);
      const { items } = await this.client.list(nodes);
      if (items.filter(isReady).length === this.nodes.length) return;
    }
    throw new Error(`the cluster's nodes were not Ready within ${startupSecondsMax} virtual seconds`);
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  async during<T>(work: Promise<T>): Promise<T> {
    return advanceUntilDone(this.clock, work, {
      patienceMs,
      // Most work is done within a few milliseconds. For slower work, time advances in larger
      // steps.
      stepMs: (afterMs) => (afterMs < 50 ? 1 : 10),
      tooLong: `the request is not done after ${patienceMs} virtual ms`,
    });
  }

  /** @throws when the node does not exist. */
  node(name: string): VirtualNode {
    const node = this.nodes.find((each) => each.name === name);
    if (!node) throw new Error(`there is no node ${name}`);
    return node;
  }

  killNode(name: string): void {
    this.node(name).kill();
  }

  returnNode(name: string): void {
    this.node(name).return();
  }

  stopKubelet(name: string): void {
    this.node(name).kubelet.kill();
  }

  startKubelet(name: string): void {
    this.node(name).kubelet.start();
  }

  /** Disconnects a machine from the network; its containers continue to run. */
  partition(name: string): void {
    this.node(name).wire.cut();
    this.bus?.settle();
  }

  heal(name: string): void {
    this.node(name).wire.heal();
    this.bus?.settle();
  }

  /** The line between the API server and a service or a node. */
  wireOf(name: string): Wire {
    const wire = this.#wires.get(name) ?? this.nodes.find((node) => node.name === name)?.wire ?? new Wire();
    this.#wires.set(name, wire);
    return wire;
  }

  /**
   * Starts another process of a service, as a user does by mistake or for availability; the process
   * runs until it is killed.
   */
  startSecond(service: "scheduler" | "controller-manager"): VirtualProcess {
    const second = this.#startSecond(service, `${service} ${++this.#seconds + 1}`);
    this.#extras.add(second);
    second.start();
    return second;
  }

  /** Reports the messages on the bus and the lines of logs. */
  overhear(hear: Hear): void {
    this.#hear = hear;
    if (this.bus) this.bus.onMessage = (payload) => hear("bus", () => payload);
  }

  /** Ends every process immediately; the committed objects remain for inspection. */
  halt(): void {
    for (const { kubelet } of this.nodes) kubelet.kill();
    this.scheduler.kill();
    this.controllerManager.kill();
    this.storage?.process.kill();
    for (const second of this.#extras) second.kill();
    this.server.process.kill();
    this.#shared?.halt();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.halt();
    await this.clock.settle();
    await this.client.close();
  }

  /** A client from outside the cluster with all rights, over a wire of its own. */
  connectUser(from: { name: string; wire: Wire; incarnation: Incarnation; attemptTimeoutMs: number }): Client {
    const { name, wire, incarnation, attemptTimeoutMs } = from;
    const handler = this.#lineTo({ name, wire, incarnation });
    const client = createInProcessClient(
      { handler, clock: this.clock, random: this.randomSource.of(`client of ${name}`) },
      {
        identity: { name, groups: ["system:masters", "system:authenticated"] },
        attemptTimeoutMs,
        callTimeoutMs: 2 * attemptTimeoutMs,
      },
    );
    incarnation.onEnd(() => void client.close());
    return client;
  }

  /** The connection to the API server over a wire, with the delay of messages here. */
  #lineTo({
    name,
    ...from
  }: {
    name: string;
    wire: Wire;
    incarnation: Incarnation;
    onRequest?: RequestHook;
  }): RequestHandler {
    return connectTo({
      server: this.#entryPoint(),
      clock: this.clock,
      latency: () => this.#latency.pass(name),
      ...from,
    });
  }

  /** Creates the server, or the first of several. */
  #makeServer(deps: Omit<VirtualServerDeps, "storage">, { storage, options }: ServerParts): VirtualServer {
    const witnesses: RequestWitness[] = [];
    const shared = this.#shared?.make(
      (name, own) => new VirtualServer({ ...deps, storage: own, name, witnesses }, options),
    );
    return shared ?? new VirtualServer({ ...deps, storage }, options);
  }

  #entryPoint(): RequestHandler {
    return this.#shared?.entryPoint() ?? this.server;
  }

  #connect(from: Connecting): NodeConnections {
    const { name, groups, wire, incarnation, clock, hook } = from;
    const handler = this.#lineTo({
      name: hook,
      wire,
      incarnation,
      onRequest: (request) => this.onRequestOf[hook]?.(request),
    });
    const identity = { name, groups: [...groups, "system:authenticated"] };
    const random = this.randomSource.of(`client of ${hook}`);
    const client = createInProcessClient({ handler, clock, random }, { identity });
    client.onFollow = (informer, options, signal) =>
      this.copies.add({ owner: hook, informer, options }, { signal, incarnation });
    incarnation.onEnd(() => void client.close());
    const bus = this.bus?.connect(hook, { incarnation, wire });
    const changes = bus && new BusChangeStream({ bus, log: this.#log, cluster: () => clusterName, parse: this.#parse });
    return { client, changes };
  }
}

interface ServerParts {
  storage: ServerStorage;
  options: Partial<ServerOptions> & { clusterName: string };
}

function userOf(service: string): string {
  if (service === "csi-controller") return "kintsugi:csi-controller";
  return service.startsWith("scheduler") ? "system:kube-scheduler" : "system:kube-controller-manager";
}

/**
 * A short history is compacted more often, and a run is shorter than the time between two scrubs.
 */
function maintenance(kept: KeptHistory): Pick<ServerOptions, "compactionIntervalMs" | "scrubIntervalMs"> {
  return { compactionIntervalMs: Math.max(10_000, kept.durationMs), scrubIntervalMs: 180_000 };
}

function namedNodes(nodes: number | readonly ScenarioNode[]): readonly ScenarioNode[] {
  return typeof nodes === "number"
    ? Array.from({ length: nodes }, (_, index) => ({ name: `node-${index + 1}` }))
    : nodes;
}
