import { type ConfigMap, configMaps, namespaces, silentLogger } from "@kintsugi/api";
import { type Client, createHttpClient, createInformer, type Informer } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { Journal } from "@kintsugi/simulation";
import { createClusterBus } from "@kintsugi/watch-stream";
import type { ChaosCluster } from "../cluster/chaos-cluster.ts";
import { readFinals, startClients } from "./clients.ts";
import { loadObjects } from "./objects.ts";

/** Time limit of one attempt of a call; a hanging server is abandoned after this time. */
const attemptTimeoutMs = 3_000;

/** The clients that use the cluster during the faults. */
export interface Load {
  readonly journal: Journal;
  /** A copy of the load's objects, fed by NATS. */
  readonly informer: Informer<ConfigMap>;
  /** The time of each writer's last answer. */
  lastAnswersMs(): ReadonlyMap<string, number>;
  /** Ends every client, waits for the calls in flight, and reads the final state. */
  stop(): Promise<void>;
}

/** Starts all clients; each reaches the API through the proxy, with its own connections. */
export async function startLoad(cluster: ChaosCluster, options: { seed: number }): Promise<Load> {
  await cluster.client.create(namespaces, { metadata: { name: loadObjects.namespace } });
  const journal = new Journal({ nowMs: () => performance.now() });
  const stopping = new AbortController();
  const opened: Client[] = [];
  const newClient = () => {
    const client = createHttpClient(
      { clock: systemClock, random: systemRandom },
      { ...cluster.loadAccess(opened.length), userAgent: "kintsugi-chaos-load", attemptTimeoutMs },
    );
    opened.push(client);
    return client;
  };
  const clients = startClients({ journal, newClient }, options, stopping.signal);
  const { informer, running } = followByNats(newClient(), cluster, stopping.signal);
  return {
    journal,
    informer,
    lastAnswersMs: () => new Map(clients.writers.map(({ name, answeredAtMs }) => [name, answeredAtMs])),
    async stop() {
      stopping.abort();
      await Promise.all([clients.ended, running]);
      // The final state cannot be read without a server; the wait for the server reports its
      // absence.
      for (const final of await readFinals(cluster.client).catch(() => [])) journal.add(final);
      await Promise.all(opened.map((client) => client.close()));
    },
  };
}

function followByNats(client: Client, cluster: ChaosCluster, signal: AbortSignal) {
  const bus = createClusterBus(
    { clock: systemClock, log: silentLogger, call: (request) => client.call(request) },
    { service: "chaos", ca: cluster.loadAccess(0).ca ?? "" },
  );
  const informer = createInformer(
    { client, clock: systemClock, random: systemRandom, changes: bus.changes },
    { type: configMaps, namespace: loadObjects.namespace },
  );
  const ended = () => {};
  const running = Promise.all([bus.run(signal).catch(ended), informer.run(signal).catch(ended)]).then(ended);
  return { informer, running };
}
