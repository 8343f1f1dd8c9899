import { connect, createServer, type Server, type Socket } from "node:net";
import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { LoadBalancer } from "@kintsugi/cloud";
import { type SharedConnectionLimits, SharedConnections } from "@kintsugi/daemon";
import { clientFilter, orderTargets, type BalancerTarget } from "./choose-target.ts";
import { type HealthCheckOptions, TargetChecks } from "./target-checks.ts";
import { isPassed, type PassedBalancer, passedPart } from "./passing/passed-ports.ts";

/**
 * Limit of the connections of all ports; each holds two sockets. A load generator of a lab needs
 * fewer than half of these connections, so that the other half remains for all other clients.
 */
const connectionLimits: SharedConnectionLimits = { max: 2_000, maxOfClient: 1_000 };
/** A node answers within a few milliseconds here, unless its cable is cut. */
const connectTimeoutMs = 500;
/** Limit of the targets that are tried one after another for a client. */
const triesMax = 3;

export interface BalancerDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when the targets of the packets that the kernel forwards have changed. */
  readonly onPassedChange?: () => void;
}

interface Connection {
  readonly client: Socket;
  target: string | undefined;
}

/**
 * One load balancer: checks its targets, and forwards the connections of its TCP ports to healthy
 * targets. Ports whose packets keep their clients' addresses are left to the kernel: `passed` is
 * the kernel's input for them.
 */
export class Balancer {
  readonly #deps: BalancerDeps;
  readonly #checks: TargetChecks;
  readonly #servers = new Map<number, Server>();
  readonly #connections = new Set<Connection>();
  readonly #shares = new SharedConnections(connectionLimits);
  readonly #stop = new AbortController();
  #balancer: LoadBalancer;
  #isAllowed: (client: string) => boolean;
  #count = 0;

  constructor(deps: BalancerDeps, options: HealthCheckOptions, balancer: LoadBalancer) {
    const { clock, log } = deps;
    this.#deps = deps;
    this.#balancer = balancer;
    this.#isAllowed = clientFilter(balancer.spec.sourceRanges);
    this.#checks = new TargetChecks(
      {
        clock,
        onChange: ({ name, address }, health) => {
          log.info("target changed", { balancer: this.#balancer.spec.description, name, ...health });
          // The connections of an unhealthy target would hang for as long as their clients wait.
          if (!health.healthy) this.#cut(address);
          deps.onPassedChange?.();
        },
      },
      options,
      balancer.spec,
    );
  }

  get address(): string {
    return this.#balancer.address;
  }

  /** The names of the targets that get connections. */
  get healthyTargets(): string[] {
    return this.#checks.healthy().map(({ name }) => name);
  }

  /** The ports that the kernel forwards; undefined where there are none. */
  get passed(): PassedBalancer | undefined {
    return passedPart(this.#balancer, this.#checks.healthy());
  }

  start(): void {
    this.#listen();
    void this.#checks.run(this.#stop.signal);
  }

  /** Applies ports, targets and ranges. Connections to removed targets continue until they end. */
  change(balancer: LoadBalancer): void {
    this.#balancer = balancer;
    this.#isAllowed = clientFilter(balancer.spec.sourceRanges);
    this.#checks.change(balancer.spec);
    this.#listen();
  }

  close(): void {
    this.#stop.abort();
    for (const server of this.#servers.values()) server.close();
    for (const { client } of this.#connections) client.destroy();
  }

  #listen(): void {
    const { spec } = this.#balancer;
    const wanted = new Set(spec.ports.filter((port) => !isPassed(spec, port)).map(({ port }) => port));
    for (const [port, server] of this.#servers) {
      if (wanted.has(port)) continue;
      server.close();
      this.#servers.delete(port);
    }
    for (const port of wanted) if (!this.#servers.has(port)) this.#open(port);
  }

  #open(port: number): void {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#accept(client, port));
    server.on("error", (error) => {
      this.#deps.log.warn("a load balancer's port cannot be served", { address: this.address, port, error });
      this.#servers.delete(port);
    });
    server.listen(port, this.address);
    this.#servers.set(port, server);
  }

  #accept(client: Socket, port: number): void {
    const from = client.remoteAddress ?? "";
    // A client that may not connect does not get an answer with the reason.
    if (!this.#isAllowed(from)) return void client.destroy();
    client.on("error", () => client.destroy());
    if (!this.#shares.admit(client)) return;
    const nodePort = this.#balancer.spec.ports.find((each) => each.protocol === "TCP" && each.port === port)?.nodePort;
    if (nodePort === undefined) return void client.destroy();
    const { sticky } = this.#balancer.spec;
    const targets = orderTargets(this.#checks.healthy(), { client: from, count: this.#count++, sticky });
    const connection: Connection = { client, target: undefined };
    this.#connections.add(connection);
    client.once("close", () => this.#connections.delete(connection));
    void this.#pass(connection, targets.slice(0, triesMax), nodePort);
  }

  /**
   * No data of the client was read before a target accepted the connection, so another target may
   * accept it.
   */
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

  #cut(address: string): void {
    for (const { client, target } of this.#connections) if (target === address) client.destroy();
  }
}

/** Resolves with the connection, or undefined when it is not established in time. */
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

/** A failure of either side ends the other side, because half a connection is useless. */
function passOn(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroySoon());
}
