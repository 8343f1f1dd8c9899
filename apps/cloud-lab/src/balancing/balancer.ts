import { get } from "node:http";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { LoadBalancer } from "@kintsugi/cloud";
import { clientFilter, orderTargets, type BalancerTarget } from "./choose-target.ts";
import { afterCheck, type TargetHealth, unknownHealth } from "./health.ts";

/** Each connection holds two sockets; more than a load generator of a lab needs. */
const connectionsMax = 2_000;
/** A node answers within a few milliseconds here; one whose cable is cut never does. */
const connectTimeoutMs = 500;
/** A client waits for so many targets one after another at most. */
const triesMax = 3;

export interface BalancerOptions {
  /** The interval between two checks of a target. */
  readonly checkIntervalMs: number;
  /** The time that the answer to a check may take. */
  readonly checkTimeoutMs: number;
}

interface Connection {
  readonly client: Socket;
  target: string | undefined;
}

/** Passes the connections of one load balancer on to its healthy targets. */
export class Balancer {
  readonly #deps: { clock: Clock; log: Logger };
  readonly #options: BalancerOptions;
  readonly #health = new Map<string, TargetHealth>();
  readonly #servers = new Map<number, Server>();
  readonly #connections = new Set<Connection>();
  readonly #stop = new AbortController();
  #balancer: LoadBalancer;
  #isAllowed: (client: string) => boolean;
  #count = 0;

  constructor(deps: { clock: Clock; log: Logger }, options: BalancerOptions, balancer: LoadBalancer) {
    this.#deps = deps;
    this.#options = options;
    this.#balancer = balancer;
    this.#isAllowed = clientFilter(balancer.spec.sourceRanges);
  }

  get address(): string {
    return this.#balancer.address;
  }

  /** The names of the targets that get connections. */
  get healthyTargets(): string[] {
    return this.#healthy().map(({ name }) => name);
  }

  start(): void {
    this.#listen();
    void this.#check();
  }

  /** Takes ports, targets and ranges over. Connections to targets that left go on to their end. */
  change(balancer: LoadBalancer): void {
    this.#balancer = balancer;
    this.#isAllowed = clientFilter(balancer.spec.sourceRanges);
    const addresses = new Set(balancer.spec.targets.map(({ address }) => address));
    for (const address of this.#health.keys()) if (!addresses.has(address)) this.#health.delete(address);
    this.#listen();
    void this.#checkOnce();
  }

  close(): void {
    this.#stop.abort();
    for (const server of this.#servers.values()) server.close();
    for (const { client } of this.#connections) client.destroy();
  }

  #listen(): void {
    const wanted = new Set(this.#balancer.spec.ports.map(({ port }) => port));
    for (const [port, server] of this.#servers) {
      if (wanted.has(port)) continue;
      server.close();
      this.#servers.delete(port);
    }
    for (const port of wanted) if (!this.#servers.has(port)) this.#open(port);
  }

  #open(port: number): void {
    const server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client, port));
    server.maxConnections = connectionsMax;
    server.on("error", (error) => {
      this.#deps.log.warn("a load balancer's port cannot be served", { address: this.address, port, error });
      this.#servers.delete(port);
    });
    server.listen(port, this.address);
    this.#servers.set(port, server);
  }

  #accept(client: Socket, port: number): void {
    const from = client.remoteAddress ?? "";
    // A client that may not connect gets no answer that tells it why.
    if (!this.#isAllowed(from)) return void client.destroy();
    const nodePort = this.#balancer.spec.ports.find((each) => each.port === port)?.nodePort;
    if (nodePort === undefined) return void client.destroy();
    const { sticky } = this.#balancer.spec;
    const targets = orderTargets(this.#healthy(), { client: from, count: this.#count++, sticky });
    const connection: Connection = { client, target: undefined };
    this.#connections.add(connection);
    client.once("close", () => this.#connections.delete(connection));
    client.on("error", () => client.destroy());
    void this.#pass(connection, targets.slice(0, triesMax), nodePort);
  }

  /** Nothing was read of the client until a target took the connection, so another may take it. */
  async #pass(connection: Connection, targets: readonly BalancerTarget[], port: number): Promise<void> {
    const { client } = connection;
    for (const target of targets) {
      const node = await open(target.address, port);
      if (node === undefined) continue;
      if (client.destroyed) return void node.destroy();
      connection.target = target.address;
      passOn(client, node);
      passOn(node, client);
      return;
    }
    client.destroy();
  }

  #healthy(): BalancerTarget[] {
    return this.#balancer.spec.targets.filter(({ address }) => this.#health.get(address)?.healthy === true);
  }

  async #check(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#checkOnce();
      await this.#deps.clock.sleep(this.#options.checkIntervalMs, signal).catch(() => {});
    }
  }

  async #checkOnce(): Promise<void> {
    const { targets, healthCheck } = this.#balancer.spec;
    await Promise.all(
      targets.map(async ({ address, name }) => {
        const succeeded = await isHealthy({ host: address, ...healthCheck }, this.#options.checkTimeoutMs);
        // The target may have left meanwhile.
        if (!this.#balancer.spec.targets.some((each) => each.address === address)) return;
        const before = this.#health.get(address) ?? unknownHealth;
        const after = afterCheck(before, succeeded);
        this.#health.set(address, after);
        if (before.healthy === after.healthy) return;
        this.#deps.log.info("target changed", { balancer: this.#balancer.spec.description, name, ...after });
        // Its connections would hang for as long as their clients wait.
        if (!after.healthy) this.#cut(address);
      }),
    );
  }

  #cut(address: string): void {
    for (const { client, target } of this.#connections) if (target === address) client.destroy();
  }
}

/** Resolves with the connection, or undefined when it is not there in time. */
function open(host: string, port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    const fail = () => {
      socket.destroy();
      resolve(undefined);
    };
    socket.setTimeout(connectTimeoutMs, fail);
    socket.once("error", fail);
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.off("error", fail);
      resolve(socket);
    });
  });
}

/** A failure of either side ends the other: a half of a connection is of no use. */
function passOn(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroySoon());
}

function isHealthy(at: { host: string; port: number; path: string }, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = get({ ...at, agent: false, timeout: timeoutMs }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(false));
  });
}
