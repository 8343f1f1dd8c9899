import { pods } from "@kintsugi/api";
import { type ApiServerProcess, prepareApiServer } from "../../support/servers/api-server-process.ts";
import { processUsage } from "../bench-cluster.ts";
import { describeSamples } from "../distribution.ts";
import type { Figure } from "../figure.ts";
import { openConnection, requestBytes } from "./http-connection.ts";
import { podJson } from "./api-load.ts";

/**
 * Measures the API server alone with many objects: list, and the cost of a kill -9 during writes.
 */
export async function measureManyObjects(count: number): Promise<Figure[]> {
  await using server = await prepareApiServer();
  await server.start();
  await createPods(server, count);
  const listed = await measureList(server, count);
  const recovered = await measureRecovery(server, count);
  return [...listed, ...recovered];
}

async function createPods({ access }: ApiServerProcess, count: number): Promise<void> {
  let next = 0;
  const work = async () => {
    const connection = await openConnection(access);
    while (next < count) {
      const status = await connection.send(
        requestBytes(access, "POST", "/api/v1/namespaces/default/pods", podJson(`many-${next++}`, "default")),
      );
      if (status !== 201) throw new Error(`creating a pod was answered ${status}`);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: 64 }, work));
}

async function measureList(server: ApiServerProcess, count: number): Promise<Figure[]> {
  const before = await processUsage(server.pid());
  const samples: number[] = [];
  for (let run = 0; run < 3; run++) {
    const connection = await openConnection(server.access);
    const startedMs = performance.now();
    const bytes = await connection.download(requestBytes(server.access, "GET", "/api/v1/pods"));
    samples.push(performance.now() - startedMs);
    connection.close();
    if (bytes < count * 500) throw new Error(`the list has only ${bytes} bytes`);
  }
  const after = await processUsage(server.pid());
  return [
    {
      id: "list.all",
      what: `list of ${count} pods`,
      value: describeSamples(samples).p50,
      unit: "ms",
      ...(count === 100_000 ? { goal: 600 } : {}),
    },
    {
      id: "list.growth",
      what: "memory growth of three such lists",
      value: after.rssMb - before.rssMb,
      unit: "MB",
      goal: 100,
      detail: `to ${after.rssMb.toFixed(0)} MB`,
    },
  ];
}

/**
 * Kills the server with -9 while eight clients write. Afterwards every acknowledged write must be
 * present.
 */
async function measureRecovery(server: ApiServerProcess, count: number): Promise<Figure[]> {
  const acknowledged: string[] = [];
  let running = true;
  const write = async (id: number) => {
    const connection = await openConnection(server.access);
    for (let i = 0; running; i++) {
      const name = `late-${id}-${i}`;
      const status = await connection
        .send(requestBytes(server.access, "POST", "/api/v1/namespaces/default/pods", podJson(name, "default")))
        .catch(() => 0);
      if (status === 201) acknowledged.push(name);
      if (status === 0) return;
    }
  };
  const writers = Array.from({ length: 8 }, (_, id) => write(id));
  await new Promise((resolve) => setTimeout(resolve, 500));
  await server.kill();
  running = false;
  await Promise.all(writers);
  const readyMs = await server.start();
  const present = new Set(
    (await server.client.list(pods, { namespace: "default", pageLimit: 5_000 })).items.map((pod) => pod.metadata.name),
  );
  const lost = acknowledged.filter((name) => !present.has(name));
  if (lost.length > 0) throw new Error(`${lost.length} acknowledged writes were lost, ${lost[0]} among them`);
  return [
    {
      id: "recovery.ready",
      what: `kill -9 with ${count} objects → ready`,
      value: readyMs,
      unit: "ms",
      ...(count === 100_000 ? { goal: 1_800 } : {}),
      detail: `all ${acknowledged.length} writes acknowledged before the kill are there`,
    },
  ];
}
