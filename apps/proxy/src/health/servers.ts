import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Counter, Logger } from "@kintsugi/api";
import { type Clock, untilAborted } from "@kintsugi/clock";
import { listen, type Loop, type MetricsRegistry, shareConnections } from "@kintsugi/daemon";
import type { ProxyState } from "../proxy.ts";
import { proxyHealth } from "./proxy-health.ts";

export interface ServersDeps {
  clock: Clock;
  log: Logger;
  metrics: MetricsRegistry;
  state(): ProxyState;
}

export interface Address {
  readonly address: string;
  readonly port: number;
}

/** Requests are short, and load balancers and a scraper or two have some connections each. */
const connectionLimits = { max: 256, maxOfClient: 64 };

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/**
 * /healthz and /livez, without TLS and for every client, as load balancers need them: upstream's
 * port 10256.
 */
export function createHealthzServer(deps: ServersDeps, at: Address & { timeoutMs: number }): Loop {
  const { clock, metrics } = deps;
  const counter = (page: string): Counter =>
    metrics.counter({
      name: `kubeproxy_proxy_${page}_total`,
      help: `Cumulative proxy ${page} HTTP status`,
      labels: ["code"],
    });
  const pages = { healthz: counter("healthz"), livez: counter("livez") };
  return serve(deps.log, { ...at, name: "health server", flag: "--healthz-bind-address" }, (request, response) => {
    const page = (["healthz", "livez"] as const).find((name) => pathOf(request) === `/${name}`);
    if (page === undefined) return send(response, { status: 404, text: "not found\n" });
    const times = { nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs(), timeoutMs: at.timeoutMs };
    const { status, body } = proxyHealth(page, deps.state(), times);
    pages[page].add(1, { code: String(status) });
    send(response, { status, type: "application/json", text: JSON.stringify(body) });
  });
}

/**
 * /metrics and /proxyMode, without TLS and by default only for this node: upstream's port 10249.
 */
export function createMetricsServer({ log, metrics }: ServersDeps, at: Address): Loop {
  return serve(log, { ...at, name: "metrics server", flag: "--metrics-bind-address" }, async (request, response) => {
    const path = pathOf(request);
    if (path === "/metrics")
      send(response, { status: 200, type: metrics.contentType, text: await metrics.exposition() });
    else if (path === "/proxyMode") send(response, { status: 200, text: "nftables" });
    else send(response, { status: 404, text: "not found\n" });
  });
}

function serve(log: Logger, at: Address & { name: string; flag: string }, answer: Answer): Loop {
  return {
    name: at.name,
    async run(signal) {
      const server = createServer((request, response) => {
        Promise.resolve(answer(request, response)).catch((error: unknown) => {
          log.error("request failed", { error });
          if (!response.headersSent) send(response, { status: 500, text: "internal error\n" });
        });
      });
      shareConnections(server, connectionLimits);
      await listen(server, { ...at, otherwise: `choose another address with ${at.flag}` });
      await untilAborted(signal);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pathOf(request: IncomingMessage): string | undefined {
  return (request.url ?? "/").split("?")[0];
}

interface Said {
  status: number;
  text: string;
  /** Default plain text. */
  type?: string;
}

function send(response: ServerResponse, { status, text, type = "text/plain; charset=utf-8" }: Said): void {
  response.writeHead(status, { "content-type": type, "x-content-type-options": "nosniff" });
  response.end(text);
}
