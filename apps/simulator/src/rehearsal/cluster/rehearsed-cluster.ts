import {
  fnv1a32,
  type Logger,
  type Node,
  nodes,
  type PersistentVolumeClaim,
  type Pod,
  pods,
  persistentVolumeClaims,
  type PersistentVolume,
  persistentVolumes,
  type ParseChanged,
  silentLogger,
  type TimerProfile,
} from "@kintsugi/api";
import { type Client, createInProcessClient, type RequestHandler } from "@kintsugi/client";
import type { Random } from "@kintsugi/clock";
import { VirtualClock, advanceUntilDone } from "@kintsugi/clock/simulated";
import { defaultGraceMs, drawLookMs, isNeverAttached, nodeIsReady, type StartState } from "@kintsugi/rehearsal";
import type { CommittedChange } from "@kintsugi/store";
import { MemoryStore } from "@kintsugi/store/simulated";
import { BusChangeStream } from "@kintsugi/watch-stream";
import { MemoryBus } from "@kintsugi/watch-stream/simulated";
import {
  BusLinks,
  QuietPeriod,
  type CommittedStore,
  connectTo,
  type Death,
  SeededRandomSource,
  type FaultableCluster,
  LastingMemory,
  Levels,
  Loads,
  ReadOnce,
  type VirtualProcess,
  Wire,
} from "@kintsugi/simulation";
import { controllerManagerProcess, schedulerProcess } from "../../cluster/control-plane.ts";
import type { Connecting, ProcessOwner } from "../../cluster/service-deps.ts";
import { type ClusterTimers, completeTimers, serverTimers } from "../../cluster/timers.ts";
import { VirtualServer } from "../../cluster/virtual-server.ts";
import type { Behaviour } from "./behaviour.ts";
import { startEntries } from "./start-entries.ts";
import { Heartbeats } from "./heartbeats.ts";
import { controllersWithEffect } from "./controllers-with-effect.ts";
import { sharedLists } from "./answers/shared-lists.ts";
import { LivePods } from "./live-pods.ts";
import { RehearsedNode, type RehearsedNodeDeps } from "./rehearsed-node.ts";
import { withoutQuietPods } from "./answers/quiet-pods.ts";
import { withoutUnreadEvents } from "./answers/unread-events.ts";
import { withoutUnreadServices } from "./answers/unread-services.ts";
import { UnfinishedKeys } from "./unfinished-keys.ts";
import { VolumeGate } from "./volume-gate.ts";
import { webhookAnswers } from "./webhook-answers.ts";

export interface RehearsedClusterDeps {
  readonly start: StartState;
  readonly behaviour: Behaviour;
  readonly log?: Logger;
}

export interface RehearsedClusterOptions {
  readonly seed: number;
  /** Timers that differ from the timers of the cluster's version. */
  readonly timers?: Partial<TimerProfile>;
  /** Addresses of webhooks that do not respond although their pods run. Default: empty. */
  readonly silentWebhooks?: readonly string[] | undefined;
  /**
   * True if the parts that are only needed for a player run too: endpoints of Services, and all
   * Events. Default: false.
   */
  readonly isRecorded?: boolean | undefined;
  /** If false, kubelets manage only the pods that may change. Default: true. */
  readonly managesAllPods?: boolean | undefined;
}

const clusterName = "rehearsed";
/** Longer than any request of a run takes. */
const patienceMs = 600_000;
const windows = { windowEventsMin: 20_000, windowMs: 3_600_000 };
const outOfServiceTaint = "node.kubernetes.io/out-of-service";
/** Compaction and scrubs have nothing to do in a run. */
const neverMs = 86_400_000;

/** Kintsugi's services on a copy of a user's cluster, with a clock that advances only on demand. */
export class RehearsedCluster implements AsyncDisposable, FaultableCluster {
  readonly clock: VirtualClock;
  readonly timers: ClusterTimers;
  readonly store: CommittedStore;
  readonly client: Client;
  readonly nodes: readonly RehearsedNode[];
  readonly pods = new LivePods();
  readonly volumes: VolumeGate;
  readonly deaths: Death[] = [];
  readonly unfinishedKeys: UnfinishedKeys;
  /** Called after each pull, with the time that the pod waited for the pulls of other pods. */
  onPulled: (nodeName: string, waitedMs: number) => void = () => {};
  readonly randomSource: SeededRandomSource;
  readonly quietPeriod: QuietPeriod;
  readonly loads = new Loads();
  readonly bus: BusLinks;
  readonly server: VirtualServer;
  readonly scheduler: VirtualProcess;
  readonly controllerManager: VirtualProcess;
  readonly leaderElection = false;
  readonly #start: StartState;
  readonly #memory: MemoryStore;
  readonly #byName: ReadonlyMap<string, RehearsedNode>;
  readonly #wires = new Map<string, Wire>();
  readonly #heartbeats: Heartbeats;
  readonly #parsed = new ReadOnce();
  readonly #log: Logger;
  readonly #isRecorded: boolean;
  readonly #parse: ParseChanged = (bytes, revision) => this.#parsed.read(bytes, revision);

  constructor(deps: RehearsedClusterDeps, options: RehearsedClusterOptions) {
    const { seed, timers: overrules, silentWebhooks, isRecorded = false } = options;
    const { start, log = silentLogger } = deps;
    this.#start = start;
    this.unfinishedKeys = new UnfinishedKeys(start);
    this.#log = log;
    this.#isRecorded = isRecorded;
    this.clock = new VirtualClock({ startMs: start.takenAtMs, settles: "promises" });
    const { clock } = this;
    this.quietPeriod = new QuietPeriod({ clock });
    // The names and UIDs of a simulated start were drawn from a random source too, so this run has
    // another seed, which does not draw the same names and UIDs.
    const randomSource = new SeededRandomSource(fnv1a32(new TextEncoder().encode(`${seed} at ${start.takenAtMs}`)));
    this.randomSource = randomSource;
    const behaviour = deps.behaviour.atMoment(randomSource.of("load of the machines"));
    const timers = completeTimers("kubernetes", {
      ...timersOfStart(start, randomSource.of("looks at nodes")),
      ...overrules,
    });
    this.timers = timers;
    this.#memory = new MemoryStore({ clock, random: randomSource.of("store"), entries: startEntries(start) }, windows);
    const storage = new LastingMemory(this.#memory);
    this.store = storage.committed;
    this.bus = new BusLinks(new MemoryBus({ clock }), () => "deliver");
    const onDeath = (death: Death) => {
      this.deaths.push(death);
      log.error("process died", { process: death.process, error: death.error });
    };
    const common = { clock, randomSource, log, onDeath };
    this.server = new VirtualServer(
      {
        ...common,
        storage,
        bus: this.bus,
        wire: new Wire(),
        parts: {
          webhookTransport: webhookAnswers(
            { pods: () => this.pods.all(), serves: (name) => this.serves(name) },
            { silent: new Set(silentWebhooks) },
          ),
        },
      },
      { ...serverTimers(timers), compactionIntervalMs: neverMs, scrubIntervalMs: neverMs, clusterName },
    );
    this.client = createInProcessClient(
      { handler: this.server, clock, random: randomSource.of("client of admin") },
      { identity: { name: "admin", groups: ["system:masters", "system:authenticated"] } },
    );
    const plane = { ...common, levels: new Levels(), connect: this.#connectService };
    this.scheduler = schedulerProcess(plane, { timers, leaderElection: false });
    const controllers = isRecorded ? undefined : controllersWithEffect(start);
    this.controllerManager = controllerManagerProcess(
      { ...plane, queueStarts: this.unfinishedKeys },
      { timers, leaderElection: false, controllers },
    );
    const moves = randomSource.of("moves of volumes");
    this.volumes = new VolumeGate(
      {
        clock,
        pods: this.pods,
        findClaim: this.#findClaim,
        isAttached: (claim) => this.#isAttached(claim),
        isAlive: (name) => this.serves(name),
        isVouchedFor: (name) => this.#isVouchedFor(name),
      },
      { moveMs: () => behaviour.attachMs(moves), forceDetachMs: timers.maxWaitForUnmountMs },
    );
    this.nodes = this.#createNodes({ ...common, behaviour }, options.managesAllPods ?? true);
    this.#byName = new Map(this.nodes.map((node) => [node.name, node]));
    this.#heartbeats = this.#createHeartbeats();
  }

  get nowMs(): number {
    return this.clock.monotonicMs();
  }

  /** Reports whether clients reach the containers of the node. */
  serves(name: string): boolean {
    return this.#byName.get(name)?.serves === true;
  }

  /** @throws Error when the node does not exist. */
  node(name: string): RehearsedNode {
    const node = this.#byName.get(name);
    if (!node) throw new Error(`there is no node ${name}`);
    return node;
  }

  wireOf(name: string): Wire {
    const wire = this.#byName.get(name)?.wire ?? this.#wires.get(name) ?? new Wire();
    this.#wires.set(name, wire);
    return wire;
  }

  /** @throws Error, because a rehearsal has no elections, in which a second process would wait. */
  startSecond(service: "scheduler" | "controller-manager"): VirtualProcess {
    throw new Error(`a rehearsal has one ${service}`);
  }

  /** Starts the services. */
  async start(): Promise<void> {
    await this.startServer();
    this.startServices();
  }

  /** Starts the API server over the objects of the start. */
  async startServer(): Promise<void> {
    this.pods.addAll(this.#start);
    this.volumes.begin();
    for (const node of this.#start.nodes) if (!nodeIsReady(node)) this.node(node.metadata.name ?? "").powerOff();
    const uids = new Map(this.#start.nodes.map(({ metadata }) => [metadata.name ?? "", metadata.uid ?? ""]));
    await this.#heartbeats.begin(
      this.nodes.filter(({ isOn }) => isOn).map((node) => ({ node, uid: uids.get(node.name) ?? "" })),
    );
    this.store.subscribe((changes) => {
      for (const change of changes) if (change.resource === "core/pods") this.#observePod(change);
    });
    this.server.process.start();
    await this.during(this.server.ready);
  }

  startServices(): void {
    this.controllerManager.start();
    this.scheduler.start();
  }

  /** Returns the changed object; all readers share it and must not modify it. */
  read<T extends object>({ entry }: CommittedChange): T {
    return this.#parsed.read<T>(entry.value, entry.revision);
  }

  /** Declares that nodes which sleep now, or later, will not be lost. */
  loseNoMore(): void {
    this.#heartbeats.thinOut();
  }

  /** Stops the kubelets that have nothing left to do. */
  letSleep(): void {
    for (const node of this.nodes) if (node.sleep()) this.#heartbeats.resume(node);
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  /** Advances time until the work is done. */
  async during<T>(work: Promise<T>): Promise<T> {
    const tooLong = `a request of the rehearsal is not done after ${patienceMs} virtual ms`;
    return advanceUntilDone(this.clock, work, { patienceMs, tooLong });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { kubelet } of this.nodes) kubelet.kill();
    this.scheduler.kill();
    this.controllerManager.kill();
    this.server.process.kill();
    await this.clock.settle();
    await this.client.close();
  }

  #createNodes(
    deps: Pick<RehearsedNodeDeps, "clock" | "randomSource" | "log" | "onDeath" | "behaviour">,
    managesAllPods: boolean,
  ): RehearsedNode[] {
    const parts: RehearsedNodeDeps = {
      ...deps,
      connect: ({ name, wire }, owner) =>
        this.#connect(
          { ...owner, name: `system:node:${name}`, groups: ["system:nodes"], wire, hook: name },
          withoutQuietPods(
            withoutUnreadServices(this.#servedTo(name), () => this.store.revision()),
            {
              nodeName: name,
              find: ({ metadata: { namespace, name } }) => this.#find(`${pods.resource}/${namespace}/${name}`),
              pods: () => this.pods.on(name).filter((pod) => !this.node(name).isQuiet(pod)),
              revision: () => this.store.revision(),
              isServing: this.#isServing,
            },
          ),
        ),
      podsOf: (name) => this.pods.on(name),
      attach: (uid, name) => this.volumes.attach(uid, name),
    };
    const { timers } = this;
    return this.#start.nodes.map(
      (node, index) => new RehearsedNode(parts, { node, number: index + 1, timers, managesAllPods }),
    );
  }

  #createHeartbeats(): Heartbeats {
    const { nodeLeaseRenewIntervalMs, nodeLeaseDurationMs, nodeMonitorGracePeriodMs } = this.timers;
    return new Heartbeats(
      {
        clock: this.clock,
        random: this.randomSource.of("heartbeats"),
        store: this.#memory,
        isReachable: () => this.server.isReady && !this.server.process.isPaused,
      },
      {
        renewIntervalMs: nodeLeaseRenewIntervalMs,
        durationMs: nodeLeaseDurationMs,
        graceMs: nodeMonitorGracePeriodMs,
      },
    );
  }

  /** A node wakes when a pod is bound to it, or one of its pods is deleted. */
  #observePod(change: CommittedChange): void {
    const after = change.type === "delete" ? undefined : this.read<Pod>(change);
    const before = this.pods.replace(change.entry.key, after);
    const nodeName = (after ?? before)?.spec?.nodeName ?? "";
    const node = nodeName === "" ? undefined : this.#byName.get(nodeName);
    if (before !== undefined) node?.reveal(before);
    if (node?.isAsleep !== true) return;
    const isNew = before?.spec?.nodeName === undefined;
    const isToGo =
      after === undefined ||
      (after.metadata.deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined);
    if (isNew || isToGo) node.wake();
  }

  #find<T extends object>(key: string): T | undefined {
    const entry = this.#memory.find(`core/${key}`);
    return entry && this.#parsed.read<T>(entry.value, entry.revision);
  }

  readonly #findClaim = (namespace: string, name: string): PersistentVolumeClaim | undefined =>
    this.#find(`${persistentVolumeClaims.resource}/${namespace}/${name}`);

  #isVouchedFor(name: string): boolean {
    const { taints = [] } = this.#find<Node>(`${nodes.resource}/${name}`)?.spec ?? {};
    return taints.some(({ key }) => key === outOfServiceTaint);
  }

  /** A volume of a file server or a directory is mounted without being attached to a node. */
  #isAttached({ spec }: PersistentVolumeClaim): boolean {
    const volume = this.#find<PersistentVolume>(`${persistentVolumes.resource}/${spec?.volumeName ?? ""}`);
    return volume === undefined || !isNeverAttached(volume);
  }

  readonly #connectService = (service: string, owner: ProcessOwner) =>
    this.#connect({
      ...owner,
      name: `system:kube-${service}`,
      groups: [],
      wire: this.wireOf(service),
      hook: service,
    });

  /** Reports whether the server responds now, and no fault affects its responses. */
  readonly #isServing = () => this.server.isReady && !this.server.process.isPaused && !this.server.requests.isFaulty;

  /** The API server in the view of a service or a node. */
  #servedTo(hook: string): RequestHandler {
    return sharedLists({
      server: this.#isRecorded
        ? this.server
        : withoutUnreadEvents(this.server, (waitedMs) => this.onPulled(hook, waitedMs)),
      store: this.store,
      start: this.#start,
      isServing: this.#isServing,
    });
  }

  #connect({ name, groups, wire, incarnation, clock, hook }: Connecting, server = this.#servedTo(hook)) {
    const handler = connectTo({ server, clock: this.clock, latency: () => undefined, wire, incarnation });
    const identity = { name, groups: [...groups, "system:authenticated"] };
    const client = createInProcessClient(
      { handler, clock, random: this.randomSource.of(`client of ${hook}`) },
      { identity },
    );
    incarnation.onEnd(() => void client.close());
    const bus = this.bus.connect(hook, { incarnation, wire });
    const changes = new BusChangeStream({ bus, log: this.#log, cluster: () => clusterName, parse: this.#parse });
    return { client, changes };
  }
}

/** The timers observed in the cluster, or else the timers of its Kubernetes version. */
function timersOfStart({ minor, grace, isKintsugi }: StartState, random: Random): Partial<TimerProfile> {
  const graceMs = grace?.ms ?? defaultGraceMs(minor);
  return { nodeMonitorGracePeriodMs: graceMs + (isKintsugi ? 0 : drawLookMs(random)) };
}
