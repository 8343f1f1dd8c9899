import { configMaps, silentLogger, silentMetrics } from "@kintsugi/api";
import { createApiServer } from "@kintsugi/api-server/factory";
import { type Client, createHttpClient, createInProcessClient } from "@kintsugi/client";
import { describeClientContract, makeSelfSigned, serveOverHttps } from "@kintsugi/client/testing";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { MemoryStore } from "@kintsugi/store/simulated";

const deps = { clock: systemClock, random: systemRandom };
const identity = { name: "tester", groups: ["system:masters", "system:authenticated"] };

describeClientContract("the in-process client on the real API server", async () => {
  const server = await startServer();
  const client = createInProcessClient({ ...deps, handler: server.handler }, { identity });
  return {
    client,
    compact: () => outwriteWindow(client),
    dispose: async () => {
      await client.close();
      await server.stop();
    },
  };
});

const tls = makeSelfSigned();

describeClientContract("the HTTP client on the real API server", async () => {
  const server = await startServer();
  const https = await serveOverHttps(server.handler, tls, identity);
  const client = createHttpClient(deps, { server: https.url, ca: tls.cert, userAgent: "contract" });
  return {
    client,
    compact: () => outwriteWindow(client),
    dispose: async () => {
      await client.close();
      await https.close();
      await server.stop();
    },
  };
});

/** Events of a resource that the store keeps however old they are. */
const windowEventsMin = 50;

/** Writes so many other objects of the resource that the store no longer keeps the time before. */
async function outwriteWindow(client: Client): Promise<void> {
  for (let i = 0; i <= windowEventsMin; i++) {
    const filler = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `filler-${i}` } };
    await client.create(configMaps, filler, { namespace: "kube-system" });
  }
}

async function startServer() {
  const store = new MemoryStore({ clock: systemClock }, { windowMs: 0, windowEventsMin });
  const server = createApiServer({ ...deps, store, log: silentLogger, metrics: silentMetrics });
  const stop = new AbortController();
  const running = server.run(stop.signal);
  await server.ready;
  return {
    handler: { handle: server.handle },
    stop: async () => {
      stop.abort();
      await running;
      await store.close();
    },
  };
}
