import { configMaps, silentLogger } from "@kintsugi/api";
import { type Client, createInformer, loadKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createClusterBus } from "@kintsugi/watch-stream";
import type { BenchCluster } from "../bench-cluster.ts";
import { describeSamples } from "../distribution.ts";
import type { Figure } from "../figure.ts";

const writes = 300;

/**
 * Measures the time from a write until an informer of this process has received it: over the bus,
 * and over an HTTP watch.
 */
export async function measureWatchLatency({ client, known }: BenchCluster): Promise<Figure[]> {
  const { ca = "" } = loadKubeconfig(known.paths.adminKubeconfig);
  const stop = new AbortController();
  const bus = createClusterBus(
    { clock: systemClock, log: silentLogger, call: (request) => client.call(request) },
    { service: "bench", ca },
  );
  const running = bus.run(stop.signal);
  try {
    const overBus = await latencies(client, { prefix: "bus", changes: bus.changes });
    const overHttp = await latencies(client, { prefix: "http", changes: undefined });
    return [...figures("bus", "NATS", overBus), ...figures("http", "HTTP watch", overHttp)];
  } finally {
    stop.abort();
    await running;
  }
}

/**
 * Measures the time from a write until an informer of this process has received it, over an HTTP
 * watch.
 */
export async function measureHttpWatchLatency(client: Client): Promise<Figure[]> {
  return figures("http", "HTTP watch", await latencies(client, { prefix: "http", changes: undefined }));
}

function figures(id: string, by: string, samples: readonly number[]): Figure[] {
  const { p50, p99 } = describeSamples(samples);
  return [
    {
      id: `watch.latency.${id}.p50`,
      what: `write sent → informer has it by ${by}, p50`,
      value: p50,
      unit: "ms",
      goal: 2.2,
      detail: `${writes} writes`,
    },
    {
      id: `watch.latency.${id}.p99`,
      what: `write sent → informer has it by ${by}, p99`,
      value: p99,
      unit: "ms",
      goal: 6,
    },
  ];
}

interface Way {
  prefix: string;
  changes: ReturnType<typeof createClusterBus>["changes"] | undefined;
}

async function latencies(client: Client, { prefix, changes }: Way): Promise<number[]> {
  const stop = new AbortController();
  const informer = createInformer({ client, clock: systemClock, random: systemRandom, changes }, { type: configMaps });
  void informer.run(stop.signal).catch(() => {});
  await informer.waitForSync(stop.signal);
  // Time to switch from the watch to the bus.
  await systemClock.sleep(3_000);
  const samples: number[] = [];
  for (let i = 0; i < writes; i++) {
    const name = `latency-${prefix}-${i}`;
    const startedMs = performance.now();
    const heard = new Promise<void>((resolve) => {
      const unsubscribe = informer.onChange(({ object }) => {
        if (object.metadata.name !== name) return;
        queueMicrotask(() => unsubscribe());
        resolve();
      });
    });
    await client.create(
      configMaps,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "b".repeat(1500) } },
      { namespace: "default" },
    );
    await heard;
    samples.push(performance.now() - startedMs);
    await systemClock.sleep(5);
  }
  stop.abort();
  return samples;
}
