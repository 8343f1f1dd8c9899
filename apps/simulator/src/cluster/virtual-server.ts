import {
  type ApiRequest,
  type ApiResponse,
  type ApiServer,
  type ApiServerDeps,
  ConnectionCut,
  createApiServer,
  type KubeletDialer,
  type ServerOptions,
} from "@kintsugi/api-server/factory";
import type { HandlerRequest, HandlerResponse, RequestHandler } from "@kintsugi/client";
import type { Logger } from "@kintsugi/api";
import { silentMetrics } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Store } from "@kintsugi/store";
import type { UnsyncedFate } from "@kintsugi/store/simulated";
import { createChangePublisher } from "@kintsugi/watch-stream";
import {
  type BusLinks,
  Connections,
  type Death,
  type Incarnation,
  type RandomSource,
  RequestFaults,
  type RequestWitness,
  ServerDisk,
  type ServerStorage,
  type StreamWitness,
  VirtualProcess,
  type Wire,
} from "@kintsugi/simulation";

export interface VirtualServerDeps {
  storage: ServerStorage;
  bus: BusLinks | undefined;
  /** The server's connection to the bus; its clients' connections are separate. */
  wire: Wire;
  /** Absent without nodes. */
  kubelets?: KubeletDialer;
  clock: Clock;
  randomSource: RandomSource;
  log: Logger;
  onDeath: (death: Death) => void;
  /** Further parts of each process, such as the issuer of tokens. Default: none. */
  parts?: Partial<ApiServerDeps>;
  /** Name of one of several servers, which share their objects; absent for a single server. */
  name?: string;
  /**
   * Reports that request faults do not affect the request. Default: the faults can affect each
   * request.
   */
  isSpared?: (request: { readonly path: string }) => boolean;
  /** Observers that several servers share. */
  witnesses?: RequestWitness[] | undefined;
}

/**
 * The address of the api-server for all clients, independent of its present process; each process
 * opens the disk that the previous process has left.
 */
export class VirtualServer implements RequestHandler {
  readonly process: VirtualProcess;
  readonly requests = new RequestFaults();
  /** Undefined if the store is in memory and has no faults. */
  readonly disk: ServerDisk | undefined;
  readonly #deps: VirtualServerDeps;
  readonly #options: Partial<ServerOptions> & { clusterName: string };
  readonly #connections = new Connections();
  readonly #connectionsOutside = new Connections(() => new ConnectionCut());
  readonly #witnesses: RequestWitness[];
  #current: ApiServer | undefined;
  #incarnation: Incarnation | undefined;
  #isReady = false;
  readonly #waiting: (() => void)[] = [];

  constructor(deps: VirtualServerDeps, options: Partial<ServerOptions> & { clusterName: string }) {
    this.#deps = deps;
    this.#options = options;
    const { clock, onDeath, storage, witnesses = [] } = deps;
    this.#witnesses = witnesses;
    this.disk = storage instanceof ServerDisk ? storage : undefined;
    this.process = new VirtualProcess(
      { clock, onDeath, run: (signal, incarnation, ownClock) => this.#run(signal, incarnation, ownClock) },
      { name: deps.name ?? "api-server" },
    );
  }

  /** The store of the last process; it is in use while that process runs. */
  get store(): Store | undefined {
    return this.#deps.storage.store;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Resolves when a process of the server has created the default objects of every cluster. */
  get ready(): Promise<void> {
    return this.#isReady ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  /**
   * Cuts the power of its machine. `fate` decides about unsynced data; without a disk nothing is
   * lost.
   */
  cutPower(fate: UnsyncedFate): void {
    this.disk?.expectPowerCut(fate);
    this.process.kill();
  }

  witness(witness: RequestWitness): void {
    this.#witnesses.push(witness);
  }

  handle(request: HandlerRequest): Promise<HandlerResponse> {
    const server = this.#current;
    if (!server) return Promise.reject(new Error("connection refused"));
    const following: StreamWitness[] = [];
    const served = this.requests.isFaulty
      ? this.requests.pass(request, {
          clock: this.#deps.clock,
          serve: (asked) => this.#serve(server, asked, following),
        })
      : this.#serve(server, request, following);
    return this.#connections.carry(served, following);
  }

  /**
   * Serves a client of another process, whose connection is not simulated.
   * @throws ConnectionCut while no process of the server runs, and when that process dies.
   */
  readonly answer: ApiServer["handle"] = async (request) => {
    const server = this.#current;
    if (!server) throw new ConnectionCut();
    if (this.#deps.isSpared?.(request) === true) {
      await this.#incarnation?.awake();
      return server.handle(request);
    }
    return this.#connectionsOutside.carry(this.#serveOutside(server, request));
  };

  async #serveOutside(server: ApiServer, request: ApiRequest): Promise<ApiResponse> {
    const asleep = this.#incarnation?.awake();
    if (asleep) await asleep;
    const { clock } = this.#deps;
    const answer = await this.requests.pass(request, { clock, serve: (asked) => server.handle(asked) });
    return this.requests.cuttable(request, answer);
  }

  async #serve(server: ApiServer, request: HandlerRequest, following: StreamWitness[]): Promise<HandlerResponse> {
    const asleep = this.#incarnation?.awake();
    if (asleep) await asleep;
    const tell = this.#witnesses.map((witness) => witness(request));
    const response = await server.handle(request);
    for (const answered of tell) {
      const witness = answered?.(response);
      if (witness) following.push(witness);
    }
    this.disk?.crashPoints.pass("respond");
    return response;
  }

  async #run(signal: AbortSignal, incarnation: Incarnation, clock: Clock): Promise<void> {
    const { storage, randomSource, kubelets: kubeletDialer, log } = this.#deps;
    const { name } = this.#deps;
    const random = randomSource.of(name ?? "api-server");
    const amongServers = name === undefined ? undefined : { hostname: name };
    const store = await storage.open(incarnation, clock);
    const changePublisher = this.#publisher(store, incarnation);
    const server = createApiServer(
      {
        store,
        clock,
        random,
        log,
        metrics: silentMetrics,
        ...(kubeletDialer && { kubeletDialer }),
        amongServers,
        ...(changePublisher && { changePublisher }),
        ...this.#deps.parts,
      },
      this.#options,
    );
    // The subscription is the server's last step before it responds to the writer.
    store.subscribe(() => this.disk?.crashPoints.pass("acknowledge"));
    this.#current = server;
    this.#incarnation = incarnation;
    incarnation.onEnd(() => {
      this.#current = undefined;
      this.#isReady = false;
      this.#connections.reset();
      this.#connectionsOutside.reset();
    });
    void server.ready.then(() => incarnation.ended || this.#reachReadiness());
    await server.run(signal);
    // A killed server does not close its store.
    if (!incarnation.ended) await store.close();
  }

  #reachReadiness(): void {
    this.#isReady = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #publisher(store: Store, incarnation: Incarnation) {
    const connection = this.#deps.bus?.connect("api-server", { incarnation, wire: this.#deps.wire });
    const { clusterName: cluster } = this.#options;
    return connection && createChangePublisher({ bus: connection }, { cluster, historyId: store.historyId });
  }
}
