import { connect } from "node:tls";
import type { Figure } from "../figure.ts";
import { openConnection, requestBytes, type ServerAccess } from "./http-connection.ts";

const writers = 8;
const collection = "/api/v1/namespaces/default/configmaps";
/**
 * DESIGN's goal is for 1,000 watchers; that many TLS streams and their readers share two cores
 * here.
 */
const watcherCounts = [1, 16, 64] as const;

/**
 * Counts the watch events per second that reach 1, 16 and 64 watchers while eight clients write.
 */
export async function measureWatches(access: ServerAccess, durationMs: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const watchers of watcherCounts) {
    const { deliveries, writes, tookMs } = await watchUnderWrites(access, { watchers, durationMs });
    figures.push({
      id: `api.watch.${watchers}.deliveries`,
      what: `watch, ${watchers} watcher${watchers === 1 ? "" : "s"}, deliveries`,
      value: (deliveries * 1000) / tookMs,
      unit: "/s",
      detail: `${writes} writes by ${writers} clients, ${deliveries} events delivered`,
    });
  }
  return figures;
}

async function watchUnderWrites(access: ServerAccess, options: { watchers: number; durationMs: number }) {
  let deliveries = 0;
  const streams = await Promise.all(
    Array.from({ length: options.watchers }, () => openWatch(access, (events) => (deliveries += events))),
  );
  const connections = await Promise.all(Array.from({ length: writers }, () => openConnection(access)));
  deliveries = 0;
  let writes = 0;
  const startedMs = performance.now();
  const until = startedMs + options.durationMs;
  const serial = Math.floor(startedMs);
  await Promise.all(
    connections.map(async (connection, writer) => {
      for (let i = 0; performance.now() < until; i++) {
        const body = JSON.stringify({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: `w-${options.watchers}-${serial}-${writer}-${i}` },
          data: { a: "x".repeat(1500) },
        });
        const status = await connection.send(requestBytes(access, "POST", collection, body));
        if (status !== 201) throw new Error(`a write was answered ${status}`);
        writes++;
      }
    }),
  );
  // The last writes are still in flight.
  const settled = performance.now() + 5_000;
  while (deliveries < writes * options.watchers && performance.now() < settled)
    await new Promise((resolve) => setTimeout(resolve, 10));
  const tookMs = performance.now() - startedMs;
  for (const connection of connections) connection.close();
  for (const stream of streams) stream.destroy();
  if (deliveries !== writes * options.watchers)
    throw new Error(`${writes} writes gave ${deliveries} deliveries to ${options.watchers} watchers`);
  return { deliveries, writes, tookMs };
}

const newline = 0x0a;

/** A watch from now on, whose events are only counted: each is one line of JSON. */
async function openWatch(access: ServerAccess, onEvents: (count: number) => void) {
  const url = new URL(access.server);
  const socket = connect({
    host: url.hostname,
    port: Number(url.port || 443),
    ca: access.ca,
    cert: access.cert,
    key: access.key,
    ALPNProtocols: ["http/1.1"],
  });
  socket.on("error", () => {});
  await new Promise<void>((resolve, reject) => {
    socket.once("secureConnect", resolve);
    socket.once("error", reject);
  });
  const list = await fetchRevision(access);
  socket.write(requestBytes(access, "GET", `${collection}?watch=true&resourceVersion=${list}`));
  let headSeen = false;
  const started = new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      let body = chunk;
      if (!headSeen) {
        const end = chunk.indexOf("\r\n\r\n");
        if (end < 0) return;
        headSeen = true;
        body = chunk.subarray(end + 4);
        resolve();
      }
      let events = 0;
      // A line of JSON ends with "}\n"; the chunk framing's own line ends follow a digit or a
      // carriage return.
      for (let at = body.indexOf(newline); at >= 0; at = body.indexOf(newline, at + 1))
        if (at > 0 && body[at - 1] === 0x7d) events++;
      onEvents(events);
    });
  });
  await started;
  return socket;
}

async function fetchRevision(access: ServerAccess): Promise<string> {
  const connection = await openConnection(access);
  const text = await connection.read(requestBytes(access, "GET", `${collection}?limit=1`));
  connection.close();
  return /"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? "0";
}
