import { silentLogger } from "@kintsugi/api";
import { type Client, createInProcessClient } from "@kintsugi/client";
import { VirtualClock } from "@kintsugi/clock/simulated";
import {
  type CommittedStore,
  connectTo,
  type Death,
  SeededRandomSource,
  type HistoryViolation,
  type KeptHistory,
  Latency,
  Incarnation,
  Wire,
} from "@kintsugi/simulation";
import { type CommittedChange, StoreCorrupt } from "@kintsugi/store";
import { SharedMemoryLog } from "@kintsugi/store/simulated";
import { VirtualServer } from "../cluster/virtual-server.ts";
import { Load, type LoadResult } from "../load/load.ts";
import { ReplicaStorage } from "../cluster/replica-storage.ts";
import { ServerEntryPoint } from "../cluster/server-entry-point.ts";
import { endServerFaults, runServerFaults, type SharingServer } from "./server-faults.ts";

export interface ServersRunOptions {
  /** The seed of all randomness. */
  seed: number;
  /** Default 3. */
  servers?: number;
  /** The virtual time under faults. Default: 120 s. */
  durationMs?: number;
}

/** The outcome of one incarnation of several servers. */
export interface ServersRunReport {
  /** Violations found in histories and replicas. */
  readonly violations: readonly HistoryViolation[];
  /** The reason why a run that has not failed is not a valid test either. */
  readonly void: string | undefined;
  readonly load: LoadResult;
  /** The number of observations by the name of the check. */
  readonly checks: Readonly<Record<string, number>>;
}

/** A replica that starts reads exactly the past of a window's length. */
const kept: KeptHistory = { eventsMin: 0, durationMs: 60_000 };
/** Marks are frequent, so that clients often continue from a revision before the newest one. */
const markIntervalMs = 2_000;
const latencyMaxMs = 100;
const operationsPerSecond = 20;
/** Time after the last fault within which every server serves again. */
const settleSecondsMax = 60;
const clusterName = "virtual";

/** Real servers on one log, and connections of clients to each server. */
class SharingServers {
  readonly clock = new VirtualClock({ settles: "promises" });
  readonly deaths: Death[] = [];
  readonly randomSource: SeededRandomSource;
  readonly log: SharedMemoryLog;
  readonly servers: readonly SharingServer[];
  readonly #latency: Latency;
  #clients = 0;

  constructor(seed: number, count: number) {
    const { clock } = this;
    this.randomSource = new SeededRandomSource(seed);
    this.log = new SharedMemoryLog({ clock, random: this.randomSource.of("log") });
    this.servers = Array.from({ length: count }, (_, at) => this.#server(`server-${at + 1}`));
    this.#latency = new Latency({ clock, randomSource: this.randomSource }, { maxMs: latencyMaxMs });
  }

  /** A client begins with one server and switches to the next like its transport. */
  connect({ name, wire, incarnation, attemptTimeoutMs }: ClientPlace): Client {
    const { clock, randomSource, servers } = this;
    const entryPoint = new ServerEntryPoint(
      servers.map(({ server }) => server),
      this.#clients++,
    );
    const handler = connectTo({
      server: entryPoint,
      clock,
      wire,
      incarnation,
      latency: () => this.#latency.pass(name),
    });
    const identity = { name, groups: ["system:masters", "system:authenticated"] };
    return createInProcessClient(
      { handler, clock, random: randomSource.of(`client of ${name}`) },
      { identity, attemptTimeoutMs, callTimeoutMs: 2 * attemptTimeoutMs },
    );
  }

  #server(name: string): SharingServer {
    const { clock, randomSource, log, deaths } = this;
    const windows = { windowEventsMin: kept.eventsMin, windowMs: kept.durationMs, markIntervalMs };
    const storage = new ReplicaStorage({ log, randomSource }, windows);
    const onDeath = (death: Death) => deaths.push(death);
    const server = new VirtualServer(
      { storage, clock, randomSource, bus: undefined, wire: new Wire(), log: silentLogger, onDeath, name },
      { clusterName, compactionIntervalMs: 10_000, scrubIntervalMs: 30_000 },
    );
    return { server, storage };
  }
}

interface ClientPlace {
  name: string;
  wire: Wire;
  incarnation: Incarnation;
  attemptTimeoutMs: number;
}

/**
 * Runs real API servers on a shared log in virtual time, while clients write, read and watch
 * through any of them and faults hit servers, the log and the connections between them; then checks
 * the observations as a history.
 */
export async function runServers(options: ServersRunOptions): Promise<ServersRunReport> {
  const { seed, servers: count = 3, durationMs = 120_000 } = options;
  const world = new SharingServers(seed, count);
  const { clock, log, servers, deaths, randomSource } = world;
  const load = new Load(
    { clock, store: commitsOf(log), random: randomSource.of("load"), connect: (from) => world.connect(from) },
    { operationsPerSecond, kept },
  );
  const admin = world.connect({
    name: "admin",
    wire: new Wire(),
    incarnation: new Incarnation(),
    attemptTimeoutMs: 30_000,
  });
  const pass = (ms: number) => clock.advance(ms);
  for (const { server } of servers) server.process.start();
  const started = Promise.all(servers.map(({ server }) => server.ready)).then(() => load.begin(admin));
  const fault = await during(clock, started).then(
    () => undefined,
    (error: unknown) => error as Error,
  );
  const broken: HistoryViolation[] = [];
  if (fault === undefined) {
    const stop = new AbortController();
    runServerFaults({ clock, random: randomSource.of("faults"), log, servers }, stop.signal);
    await pass(durationMs);
    stop.abort(new Error("the faults end"));
    // Time after which the fault that began last has ended by itself.
    await pass(20_000);
    endServerFaults({ log, servers });
    await load.end(admin, pass);
    broken.push(...load.violations(), ...(await during(clock, replicasThatDiffer(log, servers))));
  } else {
    // A server that ends before the first fault has failed by itself.
    broken.push({ invariant: "replicas-serve", message: `the servers do not start: ${fault.message}` });
  }
  for (const { server } of servers) server.process.kill();
  await clock.settle();
  if (load.error !== undefined) throw new Error("a client of the load failed", { cause: load.error });
  return {
    violations: [...broken, ...corruptionsIn(deaths)],
    void: fault === undefined ? load.tooLittle(durationMs) : undefined,
    load: load.result(),
    checks: load.checks(),
  };
}

/** The commits in the log's order, regardless of what replicas show. */
function commitsOf(log: SharedMemoryLog): Pick<CommittedStore, "observe" | "subscribe"> {
  return {
    // A server that starts has the same windows as the other servers, so its start never justifies
    // a 410.
    observe: () => {},
    subscribe: (listener) => {
      log.onTaken = ({ changes }) =>
        listener(
          changes.map(({ type, key, revision, value, index }): CommittedChange => {
            const resource = key.split("/", 2).join("/");
            const entry = { key, revision, value, index };
            return { type, revision, resource, previousOfResource: 0, entry, before: undefined };
          }),
        );
      return () => (log.onTaken = undefined);
    },
  };
}

/** Every replica shows the log's objects once no fault prevents it. */
async function replicasThatDiffer(
  log: SharedMemoryLog,
  servers: readonly SharingServer[],
): Promise<HistoryViolation[]> {
  const violations: HistoryViolation[] = [];
  for (const { server, storage } of servers) {
    const { name } = server.process;
    const fault = await storage.store?.fresh().then(
      () => undefined,
      (error: unknown) => String(error),
    );
    if (storage.store === undefined || fault !== undefined) {
      violations.push({ invariant: "replicas-serve", message: `${name} does not restart: ${fault ?? "no store"}` });
      continue;
    }
    const shown = new Map(storage.store.list("").entries.map(({ key, revision }) => [key, revision]));
    const wanted = new Map([...log.objects].map(([key, { revision }]) => [key, revision]));
    const differs = [...new Set([...shown.keys(), ...wanted.keys()])].filter(
      (key) => shown.get(key) !== wanted.get(key),
    );
    if (differs.length === 0) continue;
    const [key = ""] = differs;
    const message = `${name} returns ${key} at ${shown.get(key)}, but the log contains it at ${wanted.get(key)}`;
    violations.push({ invariant: "replicas-agree", message });
  }
  return violations;
}

/** A log that follows the rules never seems corrupt to a replica. */
function corruptionsIn(deaths: readonly Death[]): HistoryViolation[] {
  return deaths.flatMap(({ process, error }) => {
    const { cause = error } = error as Error;
    if (!(cause instanceof StoreCorrupt)) return [];
    return [{ invariant: "replicas-agree", message: `${process} died: ${cause.message}` }];
  });
}

async function during<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = () => (isDone = true);
  work.then(done, done);
  for (let ms = 0; !isDone; ms += 10) {
    if (ms > settleSecondsMax * 1000) throw new Error(`the servers are not ready after ${settleSecondsMax} virtual s`);
    await clock.advance(10);
  }
  return work;
}
