import { generateKeyPairSync } from "node:crypto";
import { nodes, type Logger, type ProfileName, silentMetrics } from "@kintsugi/api";
import {
  ConnectionGuard,
  connectionLimits,
  listenTls,
  parseTokenFile,
  type ServerOptions,
  type TlsServer,
} from "@kintsugi/api-server/factory";
import { type Client, createInProcessClient } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import { type ServedFakeStreams, startFakeStreams } from "@kintsugi/cri/testing/streams";
import { Fleet, type FleetOptions, KeptLogs } from "@kintsugi/hollow/factory";
import { type Death, isReady, Levels, type Life, type ServerStorage, Wire } from "@kintsugi/simulation";
import {
  completeTimers,
  type ControlPlaneDeps,
  controllerManagerProcess,
  schedulerProcess,
  serverTimers,
  VirtualServer,
} from "@kintsugi/simulator/factory";
import { createIdentities, type Identities } from "./access/identities.ts";
import { fleetDialer } from "./cluster/fleet-dialer.ts";
import { inProcessPool } from "./cluster/in-process-pool.ts";
import { openTestStorage } from "./cluster/test-storage.ts";

export interface ServedClusterDeps {
  clock: Clock;
  random: Random;
  log: Logger;
}

export interface ServedClusterOptions {
  /** An address of this host; the API is served there by TLS. */
  bindAddress: string;
  /** 0 takes any free port. */
  port: number;
  /** The directory of the objects; absent: they are kept in memory. */
  dataDirectory: string | undefined;
  /** The profile that sets all timers. */
  profile: ProfileName;
  /** Further options of the API server. */
  server: Partial<ServerOptions>;
  fleet: Pick<FleetOptions, "kubelets" | "machine">;
}

/** A cluster in this process, which is served to clients of other processes by TLS. */
export interface ServedCluster extends AsyncDisposable {
  /** "https://127.0.0.1:40123" */
  readonly url: string;
  readonly port: number;
  /** The certificates and the token of the administrator. */
  readonly identities: Identities;
  /** The administrator's client, without a network. */
  readonly client: Client;
  /** Resolves when all nodes are Ready. */
  readonly nodesReady: Promise<void>;
  /** Rejects when the cluster cannot go on; pending as long as it works. */
  readonly failed: Promise<never>;
}

const administrator = { name: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] };

const clusterName = "test-server";

/** Tests open few connections; each costs some 60 KB. */
const connectionsMax = 1024;

/** The nodes are listed once at first, and then after their changes, but not more often. */
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
    createIdentities({ clock, random }, { address: options.bindAddress }),
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

class Cluster implements ServedCluster {
  readonly identities: Identities;
  readonly client: Client;
  readonly failed: Promise<never>;
  readonly #deps: ServedClusterDeps;
  readonly #options: ServedClusterOptions;
  readonly #storage: ServerStorage;
  readonly #server: VirtualServer;
  readonly #processes: { start(): void; stop(): Promise<void> }[];
  readonly #fleet: Fleet;
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
    const { clock, random, log } = deps;
    this.#deps = deps;
    this.#options = options;
    this.#storage = storage;
    this.#streams = streams;
    this.identities = identities;
    this.failed = new Promise((_, reject) => (this.#fail = reject));
    this.failed.catch(() => {});
    const timers = completeTimers(options.profile);
    const dice = { of: () => random };
    const onDeath = (death: Death) => {
      log.error("process ended, and is started again", { process: death.process, error: death.error });
    };
    const common = { clock, dice, log, onDeath };
    this.#server = new VirtualServer(
      {
        ...common,
        storage,
        bus: undefined,
        wire: new Wire(),
        kubelets: fleetDialer({ fleet: () => this.#fleet, log }),
        parts: serverParts(identities),
      },
      { ...serverTimers(timers), ...options.server, clusterName, extensionAuthentication: extensionsOf(identities) },
    );
    const pool = inProcessPool({ handler: this.#server, clock, random }, administrator);
    this.client = pool.client();
    const controlPlane: ControlPlaneDeps = {
      ...common,
      levels: new Levels(),
      connect: (service, owner) => ({ client: this.#clientOf(service, owner.life), changes: undefined }),
      authorities: { rootCa: identities.authority.certificate, signing: identities.authority },
    };
    const alone = { timers, leaderElection: false };
    this.#processes = [controllerManagerProcess(controlPlane, alone), schedulerProcess(controlPlane, alone)];
    this.#fleet = new Fleet(
      { pool, clock, random, log, serving: { logs: new KeptLogs(), streams } },
      { ...options.fleet, impersonate: true },
    );
  }

  get port(): number {
    return this.#listener?.port ?? 0;
  }

  get url(): string {
    const { bindAddress } = this.#options;
    return `https://${bindAddress.includes(":") ? `[${bindAddress}]` : bindAddress}:${this.port}`;
  }

  get nodesReady(): Promise<void> {
    return (this.#nodesReady ??= this.#untilNodesReady());
  }

  async start(): Promise<void> {
    this.#server.process.start();
    await this.#server.ready;
    for (const process of this.#processes) process.start();
    this.#fleetDone = this.#fleet.run(this.#stop.signal).catch((error: unknown) => this.#fail(error));
    await this.#listen();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener?.[Symbol.asyncDispose]();
    this.#stop.abort();
    await this.#fleetDone;
    await Promise.all(this.#processes.map((process) => process.stop()));
    await Promise.all([this.client.close(), this.#streams[Symbol.asyncDispose]()]);
    const store = this.#storage.store;
    await this.#server.process.stop();
    await store?.close();
  }

  async #listen(): Promise<void> {
    const { clock, log } = this.#deps;
    const { bindAddress, port } = this.#options;
    const { authority, server } = this.identities;
    const guard = new ConnectionGuard({ clock, metrics: silentMetrics }, connectionLimits({ connectionsMax }));
    const tls = { cert: server.certificate, key: server.key, ca: authority.certificate };
    this.#listener = await listenTls(
      { handle: this.#server.answer, clock, log, guard },
      { bindAddress, port, portFlag: "--port", tls },
    );
  }

  #clientOf(service: string, life: Life): Client {
    const { clock, random } = this.#deps;
    const name = service === "scheduler" ? "system:kube-scheduler" : "system:kube-controller-manager";
    const identity = { name, groups: ["system:authenticated"] };
    const client = createInProcessClient({ handler: this.#server, clock, random }, { identity });
    life.onEnd(() => void client.close());
    return client;
  }

  /** Looks at the nodes at the beginning and after their changes. */
  async #untilNodesReady(): Promise<void> {
    const { clock } = this.#deps;
    const wanted = this.#options.fleet.kubelets.length;
    let hasChanged = true;
    const unsubscribe = this.#storage.committed.subscribe((changes) => {
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

/** The parts of the API server that a simulated life does not have. */
function serverParts({ token }: Identities) {
  const { privateKey: signingKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issuer = "https://kubernetes.default.svc.cluster.local";
  return {
    serviceAccountTokens: { signingKey, issuer, audiences: [issuer] },
    staticTokens: parseTokenFile(`${token},${administrator.name},,"system:masters"`, "the administrator's token"),
  };
}

function extensionsOf({ authority }: Identities): ServerOptions["extensionAuthentication"] {
  return { clientCa: authority.certificate, requestHeader: undefined };
}
