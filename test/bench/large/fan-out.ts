import { connect, type TLSSocket } from "node:tls";
import { configMaps } from "@kintsugi/api";
import { type ApiServerProcess, prepareApiServer } from "../../support/servers/api-server-process.ts";
import { openConnection, requestBytes } from "../api/http-connection.ts";
import { processUsage } from "../bench-cluster.ts";
import type { Figure } from "../figure.ts";

// One kind, watched by thousands of clients of an API server alone. The clients share the two cores
// with the server, so its processor time for one delivery is more informative than the rate.

const writers = 8;
const collection = "/api/v1/namespaces/default/configmaps";
/** Concurrent handshakes. */
const opensAtOnce = 16;
/** Maximum delay of a delivery after the last write. */
const settleMs = 30_000;

export interface FanOutOptions {
  watchers: readonly number[];
  durationMs: number;
}

/** Deliveries a second, their processor time, and the memory of a watch. */
export async function measureFanOut({ watchers, durationMs }: FanOutOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const count of watchers) {
    await using server = await prepareApiServer();
    await server.start();
    figures.push(...(await watchUnderWrites(server, { watchers: count, durationMs })));
  }
  return figures;
}

async function watchUnderWrites(
  server: ApiServerProcess,
  { watchers, durationMs }: { watchers: number; durationMs: number },
): Promise<Figure[]> {
  const { access } = server;
  const seen = { events: 0, pieces: 0 };
  await warmUp(server);
  const { resourceVersion } = await server.client.list(configMaps, { namespace: "default", pageLimit: 1 });
  const before = await processUsage(server.pid());
  const streams = await openAll(server, { watchers, from: resourceVersion, seen });
  const opened = await processUsage(server.pid());
  const connections = await Promise.all(Array.from({ length: writers }, () => openConnection(access)));
  let writes = 0;
  const startedMs = performance.now();
  const until = startedMs + durationMs;
  await Promise.all(
    connections.map(async (connection, writer) => {
      for (let i = 0; performance.now() < until; i++) {
        const status = await connection.send(requestBytes(access, "POST", collection, body(`w-${writer}-${i}`)));
        if (status !== 201) throw new Error(`a write was answered ${status}`);
        writes++;
      }
    }),
  );
  const expected = writes * watchers;
  const settled = performance.now() + settleMs;
  while (seen.events < expected && performance.now() < settled) await new Promise((resolve) => setTimeout(resolve, 10));
  const tookMs = performance.now() - startedMs;
  const after = await processUsage(server.pid());
  for (const connection of connections) connection.close();
  for (const stream of streams) stream.destroy();
  if (seen.events !== expected)
    throw new Error(`${writes} writes gave ${seen.events} deliveries to ${watchers} watchers, not ${expected}`);
  const id = `fan-out.${watchers}`;
  const cpuUs = ((after.cpuSeconds - opened.cpuSeconds) * 1_000_000) / seen.events;
  return [
    {
      id: `${id}.deliveries`,
      what: `${watchers} watchers, deliveries`,
      value: (seen.events * 1000) / tookMs,
      unit: "/s",
      goal: 200_000,
      detail: `${writes} writes by ${writers} clients; ${(seen.events / seen.pieces).toFixed(1)} events in each piece that a watcher read`,
    },
    {
      id: `${id}.processor`,
      what: `${watchers} watchers, the server's processor time of a delivery`,
      value: cpuUs,
      unit: "µs",
      detail: "the writes are in it",
    },
    {
      id: `${id}.memory`,
      what: `${watchers} watchers, the server's memory of one`,
      value: ((opened.rssMb - before.rssMb) * 1024) / watchers,
      unit: "KB",
      detail: `with its TLS connection; from ${before.rssMb.toFixed(0)} to ${opened.rssMb.toFixed(0)} MB, ${after.rssMb.toFixed(0)} MB at the end`,
    },
  ];
}

/** The server's first thousand writes compile its code, whose memory does not belong to a watch. */
async function warmUp({ access }: ApiServerProcess): Promise<void> {
  const connection = await openConnection(access);
  for (let i = 0; i < 1_000; i++) await connection.send(requestBytes(access, "POST", collection, body(`warm-${i}`)));
  connection.close();
}

function body(name: string): string {
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "x".repeat(200) } });
}

interface Opening {
  watchers: number;
  from: string;
  seen: { events: number; pieces: number };
}

async function openAll({ access }: ApiServerProcess, { watchers, from, seen }: Opening): Promise<TLSSocket[]> {
  const streams: TLSSocket[] = [];
  const request = requestBytes(access, "GET", `${collection}?watch=true&resourceVersion=${from}`);
  let opening = 0;
  const work = async () => {
    while (opening++ < watchers) {
      streams.push(
        await openWatch(access, request, (events) => {
          seen.events += events;
          if (events > 0) seen.pieces++;
        }),
      );
    }
  };
  await Promise.all(Array.from({ length: opensAtOnce }, work));
  return streams;
}

/** A watch whose events are only counted: a line of JSON ends with "}" and a line feed. */
async function openWatch(
  access: ApiServerProcess["access"],
  request: Buffer,
  onEvents: (count: number) => void,
): Promise<TLSSocket> {
  const { hostname: host, port } = new URL(access.server);
  const { ca, cert, key } = access;
  const socket = connect({ host, port: Number(port), ca, cert, key, ALPNProtocols: ["http/1.1"] });
  await new Promise<void>((resolve, reject) => {
    socket.once("secureConnect", resolve);
    socket.once("error", reject);
  });
  socket.write(request);
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the server closed a watch before its answer")));
    let isOpen = false;
    socket.on("data", (chunk: Buffer) => {
      let at = 0;
      if (!isOpen) {
        const end = chunk.indexOf("\r\n\r\n");
        if (end < 0) return;
        isOpen = true;
        at = end + 4;
        resolve(socket);
      }
      let events = 0;
      for (at = chunk.indexOf(lineEnd, at); at >= 0; at = chunk.indexOf(lineEnd, at + 2)) events++;
      onEvents(events);
    });
  });
}

const lineEnd = Buffer.from("}\n");
