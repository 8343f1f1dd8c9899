import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { createHealthMetrics, type HealthPage } from "./metrics/health-metrics.ts";
import { listen } from "./listen.ts";
import type { MetricsRegistry } from "./metrics/metrics.ts";
import type { Loop } from "./run-until-signal.ts";
import { shareConnections } from "./shared-connections.ts";
import { followServerTls, readServerTls, serverSecureContext, type ServerTlsFiles } from "./tls/server-tls.ts";

export interface HealthServerDeps {
  clock: Clock;
  log: Logger;
  metrics: MetricsRegistry;
  /**
   * The checks by name. A failing check throws, or rejects, with an error whose message is a
   * sentence.
   */
  checks: Readonly<Record<string, () => void | Promise<void>>>;
}

/** The authority that signs the clients that may read /metrics. */
export interface HealthServerOptions extends ServerTlsFiles {
  bindAddress: string;
  port: number;
}

/**
 * Serves /healthz, /livez and /readyz to every client and /metrics to clients with a certificate of
 * the cluster, over TLS, as upstream's components do on their secure port.
 */
export function createHealthServer(deps: HealthServerDeps, options: HealthServerOptions): Loop {
  return {
    name: "health server",
    async run(signal) {
      const { bindAddress: address, port } = options;
      const tls = await readServerTls(options);
      const told = { ...deps, tell: createHealthMetrics(deps.metrics) };
      const server = createServer(
        { ...serverSecureContext(tls), requestCert: true, rejectUnauthorized: false },
        (request, response) => void answer(told, request, response),
      );
      shareConnections(server, connectionLimits);
      await listen(server, { address, port, otherwise: "choose another port with --secure-port" });
      deps.log.info("serving health", { address, port: (server.address() as AddressInfo).port });
      await followServerTls(deps, { files: options, initial: tls, servers: () => [server] }).run(signal);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Told = HealthServerDeps & { tell: ReturnType<typeof createHealthMetrics> };

/**
 * Limit on connections. Requests are short, and probes and a few scrapers have some connections
 * each.
 */
const connectionLimits = { max: 256, maxOfClient: 64 };

const pages: readonly HealthPage[] = ["healthz", "livez", "readyz"];

async function answer(deps: Told, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const path = (request.url ?? "/").split("?")[0];
    const page = pages.find((each) => path === `/${each}`);
    if (page !== undefined) return await answerHealth(deps, { page, request }, response);
    if (path === "/metrics") return await answerMetrics(deps, request, response);
    send(response, 404, "not found\n");
  } catch (error) {
    deps.log.error("health request failed", { error });
    send(response, 500, "internal error\n");
  }
}

async function answerHealth(
  deps: Told,
  { page, request }: { page: HealthPage; request: IncomingMessage },
  response: ServerResponse,
): Promise<void> {
  const lines: string[] = [];
  let failed = 0;
  for (const [name, check] of Object.entries(deps.checks)) {
    try {
      await check();
      deps.tell(page, name, true);
      lines.push(`[+]${name} ok`);
    } catch (error) {
      failed++;
      deps.tell(page, name, false);
      lines.push(`[-]${name} failed: ${(error as Error).message}`);
    }
  }
  const verbose = (request.url ?? "").includes("verbose") || failed > 0;
  send(
    response,
    failed > 0 ? 500 : 200,
    verbose ? `${lines.join("\n")}\nhealthz check ${failed > 0 ? "failed" : "passed"}\n` : "ok",
  );
}

async function answerMetrics(
  deps: HealthServerDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!(request.socket as TLSSocket).authorized)
    return send(response, 401, "a client certificate of the cluster is needed\n");
  response.setHeader("content-type", deps.metrics.contentType);
  send(response, 200, await deps.metrics.exposition());
}

function send(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  if (!response.hasHeader("content-type")) response.setHeader("content-type", "text/plain; charset=utf-8");
  response.end(text);
}
