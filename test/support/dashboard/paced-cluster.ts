import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { ProfileName } from "@kintsugi/api";
import { createDashboardRoute, readDashboardFiles } from "@kintsugi/api-server/factory";
import type { CallerIdentity, Client, HandlerResponse } from "@kintsugi/client";
import { startVirtualCluster, type VirtualCluster } from "@kintsugi/simulator/factory";
import { repository } from "../lab-cluster.ts";

/** The real services in this process, on a clock that follows real time. */
export interface PacedCluster extends AsyncDisposable {
  readonly cluster: VirtualCluster;
  /** Serves the page and the API to a browser as that user; returns the page's address. */
  serve(identity: CallerIdentity): Promise<string>;
  /** Makes a call with all rights. */
  during<T>(call: (client: Client) => Promise<T>): Promise<T>;
  /** Makes the cluster older than the test. */
  skip(ms: number): Promise<void>;
}

export const admin: CallerIdentity = { name: "admin", groups: ["system:masters", "system:authenticated"] };

/** Step in which time advances. */
const paceMs = 50;

export interface PacedClusterOptions {
  readonly nodes: number;
  /** The timers of the cluster; default "fast". */
  readonly profile?: ProfileName;
}

/** @throws when the page is not bundled. */
export async function startPacedCluster({ nodes, profile = "fast" }: PacedClusterOptions): Promise<PacedCluster> {
  const files = await readDashboardFiles([join(repository, "apps/dashboard/bundle")]);
  if (files === undefined) throw new Error("the dashboard is not bundled: run `npm run bundle` first");
  const cluster = await startVirtualCluster({ nodes, profile });
  const route = createDashboardRoute({ files, clusterName: "rehearsal", profile }, cluster.clock);
  const servers: ReturnType<typeof createServer>[] = [];
  let pacing = Promise.resolve();
  let lastMs = performance.now();
  const timer = setInterval(() => {
    pacing = pacing.then(async () => {
      const nowMs = performance.now();
      const passedMs = Math.floor(nowMs - lastMs);
      lastMs += passedMs;
      await cluster.advance(passedMs);
    });
  }, paceMs);
  return {
    cluster,
    async serve(identity) {
      const server = createServer((request, response) => void answer({ cluster, route, identity }, request, response));
      servers.push(server);
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/dashboard/`;
    },
    during: (call) => call(cluster.client),
    async skip(ms) {
      pacing = pacing.then(() => cluster.advance(ms));
      await pacing;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await pacing;
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
      await cluster[Symbol.asyncDispose]();
    },
  };
}

interface Served {
  readonly cluster: VirtualCluster;
  readonly route: ReturnType<typeof createDashboardRoute>;
  readonly identity: CallerIdentity;
}

async function answer(served: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const { method = "GET", url = "/" } = request;
  const headers = request.headers as Record<string, string>;
  try {
    const { status, headers: own, body } = await respond(served, { method, path: url, headers, signal: gone.signal });
    response.writeHead(status, own);
    response.flushHeaders();
    if (body instanceof Uint8Array) response.end(body);
    else await pipeline(body, response);
  } catch {
    response.destroy();
  }
}

type Asked = { method: string; path: string; headers: Record<string, string>; signal: AbortSignal };

async function respond({ cluster, route, identity }: Served, asked: Asked): Promise<HandlerResponse> {
  const [path = ""] = asked.path.split("?");
  const page = path.startsWith("/dashboard")
    ? await route(asked, { method: asked.method, path } as Parameters<typeof route>[1], identity)
    : undefined;
  return page ?? cluster.server.handle({ ...asked, identity });
}
