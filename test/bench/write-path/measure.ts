import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { fileURLToPath } from "node:url";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { ensurePki, newClusterSpec, readIdentity } from "@kintsugi/lab";
import { openConnection, type Connection, type ServerAccess } from "../api/http-connection.ts";
import { describeSamples } from "../distribution.ts";
import type { Figure } from "../figure.ts";
import { type TracedMoment, sharedMs, type TracedServerOptions, type TraceReport, traceHeader } from "./trace.ts";

const writes = 1_000;
/** Writes that are not measured, because the server first compiles its code. */
const warmUp = 500;
/** Writes a second by other clients, in the second case. */
const busyPerSecond = 500;

type Trace = Partial<Record<TracedMoment, number>>;

/** The parts of a write until its watch has it. */
const parts: readonly (readonly [from: TracedMoment, to: TracedMoment, what: string])[] = [
  ["sent", "handled", "client's socket and TLS → server's TLS, HTTP → handler"],
  ["handled", "queued", "body, authorization, parsing, admission"],
  ["queued", "decided", "wait for the batch before"],
  ["decided", "logBegun", "decide, encode"],
  ["logBegun", "logged", "the log's sync"],
  ["logged", "committed", "HEAD's sync"],
  ["committed", "framed", "listeners, frames"],
  ["framed", "heard", "server's TLS and socket → watcher"],
];

/** Measures the parts of a write until a watch has it, at rest and among other writes. */
export async function measureWritePath(): Promise<Figure[]> {
  await using server = await startTracedServer();
  const figures: Figure[] = [];
  for (const [id, what, perSecond] of [
    ["rest", "at rest", 0],
    ["busy", `among ${busyPerSecond} writes a second`, busyPerSecond],
  ] as const) {
    const { traces, pauses } = await traceWrites(server, { id, perSecond });
    figures.push(...describeParts(id, what, traces, pauses));
  }
  return figures;
}

interface TracedServer extends AsyncDisposable {
  readonly access: ServerAccess;
  report(): Promise<TraceReport>;
}

async function startTracedServer(): Promise<TracedServer> {
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-write-path-"));
  const pki = join(directory, "pki");
  const spec = newClusterSpec({
    name: "alone",
    nodeCount: 1,
    profile: "default",
    apiPort: 1,
    subnet: 127,
    createdAtMs: 0,
  });
  await ensurePki({ clock: systemClock, random: systemRandom }, spec, pki);
  const child = fork(fileURLToPath(new URL("traced-server.ts", import.meta.url)), { stdio: "inherit" });
  const options: TracedServerOptions = { directory, tls: await readIdentity(pki, "api-server") };
  const { port } = (await exchange(child, options)) as { port: number };
  return {
    access: { server: `https://127.0.0.1:${port}`, ...(await readIdentity(pki, "admin")) },
    report: () => exchange(child, "report") as Promise<TraceReport>,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.disconnect();
      setTimeout(() => child.kill("SIGKILL"), 2_000).unref();
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function exchange(child: ChildProcess, question: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", () => reject(new Error("the traced server ended")));
    child.send(question as object);
  });
}

const collection = "/api/v1/namespaces/default/configmaps";

async function traceWrites(
  server: TracedServer,
  { id, perSecond }: { id: string; perSecond: number },
): Promise<{ traces: Trace[]; pauses: TraceReport["pauses"] }> {
  const { access } = server;
  const heard = new Map<string, number>();
  const watch = await openWatch(access, (name) => heard.set(name, sharedMs()));
  const connection = await openConnection(access);
  const others = perSecond === 0 ? undefined : await startOthers(access, perSecond);
  const times = new Map<string, Trace>();
  for (let i = 0; i < warmUp + writes; i++) {
    const name = `trace-${id}-${i}`;
    const trace: Trace = { sent: sharedMs() };
    await connection.send(createRequest(access, name, { [traceHeader]: name }));
    trace.acknowledged = sharedMs();
    if (i >= warmUp) times.set(name, trace);
    else if (i === warmUp - 1) await server.report();
    await systemClock.sleep(5);
  }
  others?.stop();
  await systemClock.sleep(200);
  watch.close();
  connection.close();
  const { traces, pauses } = await server.report();
  return {
    traces: [...times].map(([name, trace]) => ({ ...traces[name], ...trace, heard: heard.get(name) ?? NaN })),
    pauses,
  };
}

function createRequest(access: ServerAccess, name: string, headers: Record<string, string> = {}): Buffer {
  const body = JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    data: { a: "b".repeat(1500) },
  });
  const lines = [
    `POST ${collection} HTTP/1.1`,
    `host: ${new URL(access.server).host}`,
    "accept: application/json",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([key, value]) => `${key}: ${value}`),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

/** Eight clients that write at a steady rate. */
async function startOthers(access: ServerAccess, perSecond: number): Promise<{ stop(): void }> {
  const connections = await Promise.all(Array.from({ length: 8 }, () => openConnection(access)));
  let isStopped = false;
  let serial = 0;
  const startedMs = sharedMs();
  const work = async (connection: Connection) => {
    while (!isStopped) {
      const dueMs = startedMs + (serial++ * 1000) / perSecond;
      if (dueMs > sharedMs()) await systemClock.sleep(dueMs - sharedMs());
      await connection.send(createRequest(access, `other-${serial}-${connections.indexOf(connection)}`));
    }
    connection.close();
  };
  for (const connection of connections) void work(connection).catch(() => {});
  return { stop: () => void (isStopped = true) };
}

/** Watches the namespace's ConfigMaps, and reports the name of each object that arrives. */
async function openWatch(access: ServerAccess, onObject: (name: string) => void): Promise<{ close(): void }> {
  const { hostname, port, host } = new URL(access.server);
  const { ca, cert, key } = access;
  const socket = connect({ host: hostname, port: Number(port), ca, cert, key, ALPNProtocols: ["http/1.1"] });
  await once(socket, "secureConnect");
  socket.write(`GET ${collection}?watch=1 HTTP/1.1\r\nhost: ${host}\r\naccept: application/json\r\n\r\n`);
  await once(socket, "data");
  socket.on("data", (piece: Buffer) => {
    for (const [, name] of piece.toString("latin1").matchAll(/"name":"(trace-[a-z]+-\d+)"/g)) onObject(name ?? "");
  });
  return { close: () => socket.destroy() };
}

function describeParts(id: string, when: string, traces: readonly Trace[], pauses: TraceReport["pauses"]): Figure[] {
  const between = (trace: Trace, from: TracedMoment, to: TracedMoment) => (trace[to] ?? NaN) - (trace[from] ?? NaN);
  const whole = traces.filter((trace) => parts.every(([from, to]) => !Number.isNaN(between(trace, from, to))));
  if (whole.length < traces.length * 0.99) throw new Error(`${traces.length - whole.length} traces are incomplete`);
  const collected = (trace: Trace) =>
    pauses.reduce(
      (sum, { fromMs, toMs }) =>
        sum + Math.max(0, Math.min(toMs, trace.heard ?? 0) - Math.max(fromMs, trace.sent ?? 0)),
      0,
    );
  const slowest = [...whole]
    .sort((a, b) => between(b, "sent", "heard") - between(a, "sent", "heard"))
    .slice(0, Math.ceil(whole.length / 100));
  const figure = (name: string, what: string, of: (trace: Trace) => number): Figure[] => {
    const { p50, p99, max } = describeSamples(whole.map(of));
    const mean = slowest.reduce((sum, trace) => sum + of(trace), 0) / slowest.length;
    const detail = `p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)}, longest ${max.toFixed(1)} ms; slowest 1 % of writes: mean ${mean.toFixed(2)} ms`;
    return [{ id: `write-path.${id}.${name}`, what: `${when}: ${what}`, value: p50, unit: "ms", detail }];
  };
  const { p99 } = describeSamples(whole.map((trace) => between(trace, "sent", "heard")));
  return [
    { id: `write-path.${id}.p99`, what: `${when}: write sent → watch has it, p99`, value: p99, unit: "ms", goal: 4 },
    ...figure("heard", "write sent → watch has it", (trace) => between(trace, "sent", "heard")),
    ...figure("acknowledged", "write sent → acknowledged", (trace) => between(trace, "sent", "acknowledged")),
    ...parts.flatMap(([from, to, what]) => figure(to, what, (trace) => between(trace, from, to))),
    ...figure("collected", "of these: garbage collection in the server", collected),
    ...figure("waited", "of these: server's thread without a processor, in the handler", (trace) => trace.waited ?? 0),
  ];
}
