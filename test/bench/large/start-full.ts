import { type ApiServerProcess, prepareApiServer } from "../../support/servers/api-server-process.ts";
import { openConnection, requestBytes } from "../api/http-connection.ts";
import { processUsage } from "../bench-cluster.ts";
import type { Figure } from "../figure.ts";
import { fillStore, type FullCluster } from "./full-store.ts";

/** The first start reads files that were just written, so each start reads from the page cache. */
const starts = 3;

/**
 * Measures starts of an API server whose store is full: time to ready, memory, and its first whole
 * list.
 */
export async function measureStartFull(cluster: FullCluster): Promise<Figure[]> {
  await using server = await prepareApiServer();
  const beganMs = performance.now();
  const objects = await fillStore(server.dataDirectory, cluster);
  const filledSeconds = ((performance.now() - beganMs) / 1000).toFixed(0);
  const runs: Run[] = [];
  for (let i = 0; i < starts; i++) runs.push(await startOnce(server));
  const pods = cluster.nodes * cluster.podsPerNode;
  const scope = `${cluster.nodes} nodes, ${pods} pods`;
  const id = `start-full.${cluster.nodes}.${pods}`;
  const of = (value: (run: Run) => number) => runs.map(value).toSorted((a, b) => a - b);
  const described = (values: readonly number[]) => `${starts} starts, ${values.map((v) => v.toFixed(0)).join(", ")}`;
  const [readyMs, cpuMs, rssMb] = [of((run) => run.readyMs), of((run) => run.cpuMs), of((run) => run.rssMb)];
  const middle = Math.floor(starts / 2);
  return [
    {
      id: `${id}.ready`,
      what: `kill -9 → ready, ${scope} in the store`,
      value: readyMs[middle] ?? 0,
      unit: "ms",
      detail: `${described(readyMs)}; ${objects} objects, written in ${filledSeconds} s`,
    },
    {
      id: `${id}.processor`,
      what: `processor time of that start, ${scope}`,
      value: cpuMs[middle] ?? 0,
      unit: "ms",
      detail: described(cpuMs),
    },
    {
      id: `${id}.memory`,
      what: `memory of the API server at ready, ${scope}`,
      value: rssMb[middle] ?? 0,
      unit: "MB",
      detail: `${described(rssMb)}; ${(((rssMb[middle] ?? 0) * 1024) / objects).toFixed(1)} KB for each object, the process itself included`,
    },
    {
      id: `${id}.list`,
      what: `first list of all pods, ${scope}`,
      value: of((run) => run.listMs)[middle] ?? 0,
      unit: "ms",
      detail: `${((runs[0]?.listBytes ?? 0) / 1e6).toFixed(0)} MB`,
    },
  ];
}

interface Run {
  readyMs: number;
  cpuMs: number;
  rssMb: number;
  listMs: number;
  listBytes: number;
}

async function startOnce(server: ApiServerProcess): Promise<Run> {
  const readyMs = await server.start();
  const { rssMb, cpuSeconds } = await processUsage(server.pid());
  const connection = await openConnection(server.access);
  const askedMs = performance.now();
  const listBytes = await connection.download(requestBytes(server.access, "GET", "/api/v1/pods"));
  const listMs = performance.now() - askedMs;
  connection.close();
  await server.kill();
  return { readyMs, cpuMs: cpuSeconds * 1000, rssMb, listMs, listBytes };
}
