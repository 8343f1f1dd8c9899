import { createServer, type Server } from "node:http";
import { type EndpointSlice, type Logger, needsHealthCheckPort, type Service } from "@kintsugi/api";
import { shareConnections } from "@kintsugi/daemon";
import { endpointsKey, endpointsOf } from "../plan/endpoints.ts";
import { serviceProxyNameLabel } from "../plan/service-ports.ts";

/** The health of one Service on this node, in the view of load balancers. */
export interface ServiceHealth {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** The ready endpoints on this node; an endpoint with several ports is counted once. */
  readonly localEndpoints: number;
}

/** Plans the listening ports. If two Services claim one port, the first by name gets it. */
export function planServiceHealth(
  services: readonly Service[],
  slices: readonly EndpointSlice[],
  nodeName: string,
): ReadonlyMap<number, ServiceHealth> {
  const endpoints = endpointsOf(slices, nodeName);
  const planned = new Map<number, ServiceHealth>();
  const named = services.filter(({ metadata }) => metadata.labels?.[serviceProxyNameLabel] === undefined);
  for (const { metadata, spec = {} } of named.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1))) {
    const port = spec.healthCheckNodePort ?? 0;
    if (!needsHealthCheckPort(spec) || port === 0 || planned.has(port)) continue;
    const { namespace = "", name = "" } = metadata;
    const local = (spec.ports ?? []).flatMap(({ name: portName = "", protocol = "TCP" }) =>
      (endpoints.get(endpointsKey({ namespace, service: name, port: portName, protocol })) ?? [])
        .filter(({ isLocal, ready }) => isLocal && ready)
        .map(({ address }) => address),
    );
    planned.set(port, { namespace, name, port, localEndpoints: new Set(local).size });
  }
  return planned;
}

function idOf({ metadata }: Service): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/**
 * Returns the answer to a load balancer's health check (upstream: pkg/proxy/healthcheck,
 * service_health.go): 200 where the node has endpoints and the rules are up to date, else 503.
 */
function serviceHealthAnswer({ namespace, name, localEndpoints }: ServiceHealth, proxyHealthy: boolean) {
  return {
    status: localEndpoints > 0 && proxyHealthy ? 200 : 503,
    headers: {
      "Content-Type": "application/json",
      "X-Content-Type-Options": "nosniff",
      "X-Load-Balancing-Endpoint-Weight": String(localEndpoints),
    },
    body: JSON.stringify({ service: { namespace, name }, localEndpoints, serviceProxyHealthy: proxyHealthy }),
  } as const;
}

/**
 * Health checks are short: in a large cluster a load balancer per node sends one every few seconds.
 */
const connectionLimits = { max: 256, maxOfClient: 64 };

export interface ServiceHealthDeps {
  log: Logger;
  /** Reports whether the rules are up to date. */
  proxyHealthy: () => boolean;
}

/** Listens at the health check ports of Services, on all addresses of the node. */
export class ServiceHealthServers {
  readonly #deps: ServiceHealthDeps;
  readonly #servers = new Map<number, Server>();
  #planned: ReadonlyMap<number, ServiceHealth> = new Map();

  constructor(deps: ServiceHealthDeps) {
    this.#deps = deps;
  }

  apply(planned: ReadonlyMap<number, ServiceHealth>): void {
    this.#planned = planned;
    for (const [port, server] of this.#servers) if (!planned.has(port)) this.#end(port, server);
    for (const port of planned.keys()) if (!this.#servers.has(port)) this.#open(port);
  }

  close(): void {
    for (const [port, server] of this.#servers) this.#end(port, server);
  }

  #open(port: number): void {
    const server = createServer((_request, response) => {
      const health = this.#planned.get(port);
      if (health === undefined) return void response.writeHead(404).end();
      const { status, headers, body } = serviceHealthAnswer(health, this.#deps.proxyHealthy());
      response.writeHead(status, headers).end(body);
    });
    shareConnections(server, connectionLimits);
    server.on("error", (error) => {
      // A later change retries; until then load balancers consider this node unhealthy.
      this.#deps.log.warn("the health check port of a Service cannot be served", { port, error });
      this.#servers.delete(port);
    });
    server.listen(port);
    this.#servers.set(port, server);
  }

  #end(port: number, server: Server): void {
    this.#servers.delete(port);
    server.closeAllConnections();
    server.close();
  }
}
