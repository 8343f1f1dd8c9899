import { BlockList } from "node:net";
import { nodes, silentMetrics, zoneLabel } from "@kintsugi/api";
import {
  type BuiltInResource,
  ConnectionGuard,
  connectionLimits,
  createWebhookHttpsTransport,
  listenTls,
  type ServerOptions,
  type TlsServer,
} from "@kintsugi/api-server/factory";
import { type CallerIdentity, type Client, createInProcessClient, type RequestHandler } from "@kintsugi/client";
import { type Clock, SteeredClock, withWallTimeOf } from "@kintsugi/clock";
import { type ServedFakeStreams, startFakeStreams } from "@kintsugi/cri/simulated/streams";
import { Fleet, type HollowNode, KeptLogs } from "@kintsugi/hollow/factory";
import {
  type CommittedStore,
  connectTo,
  type Death,
  type FaultableCluster,
  isReady,
  Levels,
  Incarnation,
  Loads,
  type ServerStorage,
  type VirtualProcess,
  Wire,
} from "@kintsugi/simulation";
import {
  completeTimers,
  type ControlPlaneDeps,
  controllerManagerProcess,
  schedulerProcess,
  serverTimers,
  VirtualServer,
  type VirtualServerDeps,
} from "@kintsugi/simulator/factory";
import {
  administrator,
  createIdentities,
  extensionsOf,
  type Identities,
  testIdentityOf,
  signingBy,
  tlsOf,
  tokensOf,
} from "./access/identities.ts";
import { Activity } from "./cluster/activity.ts";
import { fleetDialer } from "./cluster/fleet-dialer.ts";
import { inProcessPool } from "./cluster/in-process-pool.ts";
import { ensureKubernetesService } from "./cluster/kubernetes-service.ts";
import { configMapsIn, machinesOf } from "./cluster/parts-of-cluster.ts";
import { Surroundings } from "./cluster/surroundings.ts";
import { openTestStorage } from "./cluster/test-storage.ts";
import { clockRoute } from "./control/clock-route.ts";
import { ControlEntryPoint } from "./control/control-entry-point.ts";
import { faultRoute } from "./control/fault-route.ts";
import { markRoutes } from "./control/mark-routes.ts";
import { FaultDesk } from "./faults/fault-desk.ts";
import { Marks } from "./marks/marks.ts";
import type { ServedClusterDeps, ServedClusterOptions } from "./served-cluster-options.ts";
import { Steering } from "./time/steering.ts";

/** A cluster in this process, which is served to clients of other processes over TLS. */
export interface ServedCluster extends AsyncDisposable {
  /** "https://127.0.0.1:40123" */
  readonly url: string;
  readonly port: number;
  /** The certificates and the token of the administrator. */
  readonly identities: Identities;
  /** The administrator's client, without a network. */
  readonly client: Client;
  /** The cluster's clock; undefined for the real clock. */
  readonly steering: Steering | undefined;
  readonly marks: Marks;
  readonly faults: FaultDesk;
  /** Resolves when all nodes are Ready. */
  readonly nodesReady: Promise<void>;
  /** Rejects when the cluster cannot continue; pending as long as the cluster works. */
  readonly failed: Promise<never>;
}

const clusterName = "test-server";
const nodeUserPrefix = "system:node:";

/** Tests open few connections; each costs about 60 KB. */
const connectionsMax = 1024;

/**
 * Minimum interval between two lists of the nodes. A list is requested after a change of a node.
 */
const readyLookMs = 20;

/**
 * Starts the cluster: its API answers when the promise resolves, and its nodes become Ready soon
 * after.
 * @throws Error when the address cannot be served, or the data directory cannot be used.
 */
export async function startServedCluster(
  deps: ServedClusterDeps,
  options: ServedClusterOptions,
): Promise<ServedCluster> {
  const { clock, random, log } = deps;
  const [identities, storage, streams] = await Promise.all([
    createIdentities({ clock, random }, { address: options.bindAddress, given: options.given }),
    openTestStorage({ clock, random, log }, options.dataDirectory),
    startFakeStreams({ random }),
  ]);
  const cluster = new Cluster(deps, options, { identities, storage, streams });
  try {
    await cluster.start();
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
  return cluster;
}

class Cluster implements ServedCluster, FaultableCluster {
  readonly identities: Identities;
  readonly client: Client;
  readonly failed: Promise<never>;
  readonly steering: Steering | undefined;
  readonly marks: Marks;
  readonly faults: FaultDesk;
  readonly clock: Clock;
  readonly server: VirtualServer;
  readonly scheduler: VirtualProcess;
  readonly controllerManager: VirtualProcess;
  readonly store: CommittedStore;
  /** Nodes do not report usage. */
  readonly loads = new Loads(() => 0);
  readonly bus = undefined;
  readonly leaderElection = false;
  readonly #deps: ServedClusterDeps;
  readonly #options: ServedClusterOptions;
  readonly #storage: ServerStorage;
  readonly #activity: Activity;
  readonly #entryPoint: ControlEntryPoint;
  readonly #wires = new Map<string, Wire>();
  readonly #fleet: Fleet;
  readonly #surroundings: Surroundings;
  readonly #streams: ServedFakeStreams;
  readonly #stop = new AbortController();
  #fail: (error: unknown) => void = () => {};
  #fleetDone: Promise<void> = Promise.resolve();
  #listener: TlsServer | undefined;
  #nodesReady: Promise<void> | undefined;

  constructor(
    deps: ServedClusterDeps,
    options: ServedClusterOptions,
    { identities, storage, streams }: { identities: Identities; storage: ServerStorage; streams: ServedFakeStreams },
  ) {
    const { clock: real, random, log } = deps;
    this.#deps = deps;
    this.#options = options;
    this.#storage = storage;
    this.#streams = streams;
    this.store = storage.committed;
    this.identities = identities;
    this.failed = new Promise((_, reject) => (this.#fail = reject));
    this.failed.catch(() => {});
    this.#activity = new Activity({ real, isAsleep: () => this.server.process.isPaused });
    const steered = options.clock === "steered" ? new SteeredClock({ real }, { pace: 1 }) : undefined;
    const clock = steered ?? real;
    this.clock = clock;
    const timers = completeTimers(options.profile);
    const randomSource = { of: () => random };
    const onDeath = (death: Death) => {
      log.error("process ended, and is started again", { process: death.process, error: death.error });
    };
    const common = { clock, randomSource, log, onDeath };
    this.steering =
      steered &&
      new Steering({
        clock: steered,
        real,
        activity: this.#activity,
        store: this.store,
        isWhole: () => this.#isWhole(),
      });
    this.faults = new FaultDesk({ cluster: this, nodes: machinesOf(options) }, options);
    this.marks = new Marks({
      real,
      clock,
      committed: this.store,
      store: () => (this.server.isReady ? storage.store : undefined),
      services: () => this.#services,
      nodes: () => this.nodes,
    });
    this.#entryPoint = this.#makeEntryPoint();
    this.server = this.#makeServer({ ...common, steered }, serverTimers(timers));
    const pool = inProcessPool({ handlerFor: (user) => this.#wayOf(user), clock, random }, administrator);
    this.client = pool.client();
    const controlPlane: ControlPlaneDeps = {
      ...common,
      levels: new Levels(),
      connect: (service, owner) => ({ client: this.#clientOf(service, owner), changes: undefined }),
      authorities: {
        rootCa: identities.authority.certificate,
        signing: signingBy(identities.authority, { clock, real, counted: this.#activity.counted }),
      },
    };
    const alone = { timers, leaderElection: false };
    this.controllerManager = controllerManagerProcess(controlPlane, alone);
    this.scheduler = schedulerProcess(controlPlane, alone);
    const nodesOfCloud = options.fleet.kubelets.map(({ nodeName: name, labels, nodeIps: [address = ""] }) => {
      return { name, zone: labels[zoneLabel], address };
    });
    const { volumes = false, cloud = false } = options;
    this.#surroundings = new Surroundings(controlPlane, { volumes, cloud, nodes: nodesOfCloud });
    const { driverOn } = this.#surroundings;
    const serving = { logs: new KeptLogs(), streams, clock: real, readConfigMap: configMapsIn(this.store) };
    this.#fleet = new Fleet(
      { pool, clock, random, log, serving, driverOn, wireOf: (node) => this.wireOf(node) },
      { ...options.fleet, impersonate: true },
    );
  }

  #makeEntryPoint(): ControlEntryPoint {
    return new ControlEntryPoint({
      handle: (request) => this.server.answer(request),
      isAway: () => !this.server.process.isRunning || this.server.process.isPaused,
      routes: this.#options.isSteeredByClients === false ? [] : this.#routes,
      token: this.identities.token,
    });
  }

  get #routes(): readonly BuiltInResource[] {
    return [
      clockRoute({ steering: this.steering, clientOf: (user) => this.#clientFor(user) }),
      faultRoute(this.faults),
      ...markRoutes(this.marks),
      ...(this.#deps.routes ?? []),
    ];
  }

  #makeServer(
    {
      steered,
      ...common
    }: Pick<VirtualServerDeps, "clock" | "randomSource" | "log" | "onDeath"> & {
      steered: SteeredClock | undefined;
    },
    timers: Partial<ServerOptions>,
  ): VirtualServer {
    const { clock: real } = this.#deps;
    const { server, given } = this.#options;
    return new VirtualServer(
      {
        ...common,
        // Requests take real time in every state of the cluster's clock.
        clock: steered ? withWallTimeOf(steered, real) : real,
        storage: this.#storage,
        bus: undefined,
        wire: this.wireOf("api-server"),
        isSpared: this.#entryPoint.isControl,
        kubelets: fleetDialer({ fleet: () => this.#fleet, log: common.log }),
        parts: {
          ...tokensOf(this.identities, given),
          // The callers of a test server are users of this host, so every address is allowed.
          webhookTransport: createWebhookHttpsTransport({ refused: new BlockList() }),
          calendar: this.clock,
          builtInResources: this.#entryPoint.routes,
        },
      },
      { ...timers, ...server, clusterName, extensionAuthentication: extensionsOf(this.identities, given) },
    );
  }

  get port(): number {
    return this.#listener?.port ?? 0;
  }

  get url(): string {
    const { bindAddress } = this.#options;
    return `https://${bindAddress.includes(":") ? `[${bindAddress}]` : bindAddress}:${this.port}`;
  }

  get nodes(): readonly HollowNode[] {
    return this.#fleet.nodes;
  }

  get #services(): readonly VirtualProcess[] {
    return [this.controllerManager, this.scheduler, ...this.#surroundings.processes];
  }

  get nodesReady(): Promise<void> {
    return (this.#nodesReady ??= this.#untilNodesReady().then(() => this.steering?.setPace(0)));
  }

  /** The connection between the API server and a service or a node. */
  wireOf(name: string): Wire {
    const wire = this.#wires.get(name) ?? new Wire();
    this.#wires.set(name, wire);
    return wire;
  }

  /** Each service runs once here, so a second candidate for leadership is not needed. */
  startSecond(service: "scheduler" | "controller-manager"): VirtualProcess {
    throw new TypeError(`a test server runs one ${service}`);
  }

  async start(): Promise<void> {
    this.server.process.start();
    await this.server.ready;
    if (this.#options.controllers !== false) for (const process of this.#services) process.start();
    await this.#surroundings.provide(this.client);
    this.#fleetDone = this.#fleet.run(this.#stop.signal).catch((error: unknown) => this.#fail(error));
    await this.#listen();
    await ensureKubernetesService(this.client, { ...this.#options.server, port: this.port });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener?.[Symbol.asyncDispose]();
    this.#stop.abort();
    // A process that is ending may wait for one of its timers.
    this.steering?.end();
    await this.#fleetDone;
    await Promise.all(this.#services.map((process) => process.stop()));
    await Promise.all([this.client.close(), this.#streams[Symbol.asyncDispose]()]);
    const store = this.#storage.store;
    await this.server.process.stop();
    await store?.close();
  }

  async #listen(): Promise<void> {
    const { clock, log } = this.#deps;
    const { bindAddress, port } = this.#options;
    const guard = new ConnectionGuard({ clock, metrics: silentMetrics }, connectionLimits({ connectionsMax }));
    const tls = tlsOf(this.identities, this.#options.given);
    this.#listener = await listenTls(
      // Certificates end by the clock of the cluster.
      { handle: this.#activity.outside(this.#entryPoint.handle), clock: withWallTimeOf(this.clock, clock), log, guard },
      { bindAddress, port, portFlag: "--port", tls },
    );
  }

  #clientOf(service: string, { incarnation }: { incarnation: Incarnation }): Client {
    const { random } = this.#deps;
    const handler = connectTo({ ...this.#line, wire: this.wireOf(service), incarnation });
    const identity = testIdentityOf(service);
    const client = createInProcessClient({ handler, clock: this.clock, random }, { identity });
    incarnation.onEnd(() => void client.close());
    return client;
  }

  #isWhole(): boolean {
    const processes = [this.server.process, ...this.#services, ...this.nodes.map(({ kubelet }) => kubelet)];
    return (
      !this.faults.hitsCluster &&
      processes.every(({ isRunning, isPaused }) => isRunning && !isPaused) &&
      [...this.#wires.values()].every((wire) => !wire.out.isCut && !wire.in.isCut) &&
      this.nodes.every(({ power }) => power === "on")
    );
  }

  /** A client of this process with the rights of a caller. */
  #clientFor({ name, groups }: CallerIdentity): Client {
    const { clock, random } = this.#deps;
    return createInProcessClient({ handler: this.server, clock, random }, { identity: { name, groups } });
  }

  /** A user's connection within this process; the connection of a node uses the node's wire. */
  #wayOf(user: string): RequestHandler {
    const node = user.startsWith(nodeUserPrefix) ? user.slice(nodeUserPrefix.length) : undefined;
    if (node === undefined) return this.#line.server;
    return connectTo({ ...this.#line, wire: this.wireOf(node), incarnation: new Incarnation() });
  }

  get #line() {
    return { server: this.#activity.inside(this.server), clock: this.clock, latency: () => undefined };
  }

  /** Checks the nodes at the beginning and after their changes. */
  async #untilNodesReady(): Promise<void> {
    const { clock } = this.#deps;
    const wanted = this.#options.fleet.kubelets.length;
    let hasChanged = true;
    const unsubscribe = this.store.subscribe((changes) => {
      hasChanged ||= changes.some(({ resource }) => resource === "core/nodes");
    });
    try {
      while (!this.#stop.signal.aborted) {
        if (hasChanged) {
          hasChanged = false;
          const { items } = await this.client.list(nodes);
          if (items.filter(isReady).length >= wanted) return;
        }
        await clock.sleep(readyLookMs);
      }
    } finally {
      unsubscribe();
    }
  }
}
