import { Agent, request as httpsRequest } from "node:https";
import { type ApiServerProcess, prepareApiServer } from "../../support/servers/api-server-process.ts";
import { processUsage } from "../bench-cluster.ts";
import { describeSamples } from "../distribution.ts";
import type { Figure } from "../figure.ts";
import { openConnection, requestBytes } from "../api/http-connection.ts";
import { hostileRequests } from "./all-bodies.ts";
import type { HostileRequest } from "./hostile-request.ts";
import { InProcessServer } from "./in-process-server.ts";

/**
 * While the event loop is blocked, other clients are not answered, so this is the limit for a
 * request.
 */
const goalMs = 50;

/**
 * Measures every hostile request: its work in one process without a network, and the delay of a
 * well-behaved client under all of them.
 */
export async function measureBodies(): Promise<Figure[]> {
  return [...(await measureWork()), ...(await measureNeighbour())];
}

async function measureWork(): Promise<Figure[]> {
  await using server = new InProcessServer();
  const costs = new Map<string, { workedMs: number; longestBlockMs: number; answerBytes: number }>();
  // The first round is for the compiler, because a real server has been running for a while.
  for (const _round of [1, 2])
    for (const request of hostileRequests) costs.set(request.name, await server.cost(request));
  const all = [...costs].toSorted(([, a], [, b]) => b.workedMs - a.workedMs);
  const worst = all.slice(0, 3).map(([name, { workedMs }]) => `${name}: ${workedMs.toFixed(0)} ms`);
  const answers = [...costs.values()].map(({ answerBytes }) => answerBytes / 2 ** 20);
  return [
    {
      id: "hostile.bodies.worked",
      what: "worst hostile request, processor time of the event loop",
      value: all[0]?.[1].workedMs ?? 0,
      unit: "ms",
      goal: goalMs,
      detail: `${all.length} requests, each alone; ${worst.join("; ")}`,
    },
    {
      id: "hostile.bodies.block",
      what: "the longest that the event loop stood still",
      value: Math.max(...[...costs.values()].map(({ longestBlockMs }) => longestBlockMs)),
      unit: "ms",
      goal: goalMs,
      detail: "wall time: on a busy machine that of others too",
    },
    { id: "hostile.bodies.answer", what: "the longest answer", value: Math.max(...answers), unit: "MB" },
  ];
}

/**
 * A client reads one object after the other, first alone and then in parallel with a sender of
 * hostile requests.
 */
async function measureNeighbour(): Promise<Figure[]> {
  await using server = await prepareApiServer();
  await server.start();
  // Made beforehand, because the sender shares its event loop with the client whose reads are
  // timed.
  const bodies = new Map(hostileRequests.map((request) => [request, bytesOf(request)]));
  const quiet = await latencies(server, new Promise((resolve) => setTimeout(resolve, 3_000)));
  const sending = sendAll(server, bodies);
  const beside = await latencies(server, sending);
  const { sent } = await sending;
  const { rssMb } = await processUsage(server.pid());
  return [
    figure("quiet", "a client's read while nothing else happens, p99", quiet.p99, `${quiet.count} reads`),
    figure(
      "p99",
      "the same beside hostile requests, p99",
      beside.p99,
      `${beside.count} reads, ${sent} hostile requests`,
    ),
    figure("max", "the same, the slowest", beside.max, "both processes share the machine"),
    { id: "hostile.bodies.rss", what: "memory of the server afterwards", value: rssMb, unit: "MB" },
  ];
}

function figure(id: string, what: string, value: number, detail: string): Figure {
  return { id: `hostile.bodies.${id}`, what, value, unit: "ms", detail };
}

async function latencies({ access }: ApiServerProcess, until: Promise<unknown>) {
  const connection = await openConnection(access);
  let ended = false;
  const end = () => (ended = true);
  void until.then(end, end);
  const samples: number[] = [];
  while (!ended) {
    const sentMs = performance.now();
    await connection.send(requestBytes(access, "GET", "/api/v1/namespaces/default"));
    samples.push(performance.now() - sentMs);
  }
  connection.close();
  return describeSamples(samples);
}

type Bodies = ReadonlyMap<HostileRequest, Buffer | undefined>;

function bytesOf({ body }: HostileRequest): Buffer | undefined {
  const made = body?.();
  return made === undefined ? undefined : Buffer.from(made);
}

async function sendAll({ access }: ApiServerProcess, bodies: Bodies): Promise<{ sent: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: access.ca, cert: access.cert, key: access.key });
  const prepared = new Set<HostileRequest>();
  let sent = 0;
  for (const request of hostileRequests) {
    if (request.needs !== undefined && !prepared.has(request.needs)) {
      prepared.add(request.needs);
      await send(agent, { ...access, hostile: request.needs, body: bytesOf(request.needs) });
    }
    await send(agent, { ...access, hostile: request, body: bodies.get(request) });
    sent++;
  }
  agent.destroy();
  return { sent };
}

/** Resolves when the answer has arrived, or cannot arrive. */
function send(
  agent: Agent,
  { server, hostile, body }: { server: string; hostile: HostileRequest; body: Buffer | undefined },
): Promise<void> {
  const { method, path, contentType = "application/json" } = hostile;
  const headers = body === undefined ? {} : { "content-type": contentType, "content-length": Buffer.byteLength(body) };
  return new Promise((resolve) => {
    const request = httpsRequest(`${server}${path}`, { method, agent, headers }, (response) => {
      response.on("error", () => {}).on("close", resolve);
      response.resume();
    });
    request.on("error", () => resolve());
    request.end(body);
  });
}
