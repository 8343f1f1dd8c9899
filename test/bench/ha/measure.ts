import { type ConfigMap, configMaps, isApiError, namespaces } from "@kintsugi/api";
import { type Client, createHttpClient } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { type ApiServerProcess, prepareApiServer } from "../../support/servers/api-server-process.ts";
import { type EtcdProcesses, startEtcd } from "../../support/servers/etcd-process.ts";
import { prepareOnEtcd } from "../../support/servers/shared-etcd.ts";
import { describeSamples } from "../distribution.ts";
import type { Figure } from "../figure.ts";

export interface HaOptions {
  /** The duration of each load. */
  durationMs: number;
  /** The number of deaths of a server and of an etcd member. */
  deaths: number;
}

/** Writers in flight together, over all servers. */
const crowd = 32;
const namespace = "bench";
const deps = { clock: systemClock, random: systemRandom };

interface Place {
  /** "level", "etcd-1", "etcd-3". */
  readonly id: string;
  readonly what: string;
  readonly servers: readonly ApiServerProcess[];
}

/** Measures the same calls on LevelDB, on one member of etcd, and on three with three servers. */
export async function measureHa(options: HaOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  {
    await using server = await prepareApiServer();
    await server.start();
    figures.push(...(await measurePlace({ id: "level", what: "1 server, LevelDB", servers: [server] }, options)));
  }
  {
    await using etcd = await startEtcd(1);
    await using server = await prepareOnEtcd({ endpoints: etcd.endpoints, prefix: "/bench" });
    await server.start();
    figures.push(...(await measurePlace({ id: "etcd-1", what: "1 server, etcd of 1", servers: [server] }, options)));
  }
  await using etcd = await startEtcd(3);
  const servers: ApiServerProcess[] = [];
  try {
    for (let at = 0; at < 3; at++) {
      const endpoints = [...etcd.endpoints.slice(at), ...etcd.endpoints.slice(0, at)];
      const [first] = servers;
      const server = await prepareOnEtcd({ endpoints, prefix: "/bench", ...(first && { beside: first }) });
      await server.start();
      servers.push(server);
      figures.push(await measureShare(servers, options));
    }
    figures.push(...(await measurePlace({ id: "etcd-3", what: "3 servers, etcd of 3", servers }, options)));
    figures.push(await measureStall("etcd-member", { servers, deaths: options.deaths }, killMember(etcd)));
    figures.push(await measureStall("server", { servers, deaths: options.deaths }, killServer(servers)));
  } finally {
    for (const server of servers) await server[Symbol.asyncDispose]();
  }
  return figures;
}

async function measurePlace({ id, what, servers }: Place, { durationMs }: HaOptions): Promise<Figure[]> {
  const [first] = servers;
  const last = servers.at(-1);
  if (first === undefined || last === undefined) throw new Error("there is a server");
  await ensureNamespace(first);
  const create = creations(id);
  const createMs = await timesOf(durationMs / 2, () => create(first));
  const path = `/api/v1/namespaces/${namespace}/configmaps/${id}-1`;
  const fencedMs = await timesOf(durationMs / 4, () => last.client.call({ method: "GET", path }));
  const unfencedMs = await timesOf(durationMs / 4, () =>
    last.client.call({ method: "GET", path: `${path}?resourceVersion=0` }),
  );
  const seenMs = await watchLatency({ reader: last, create: () => create(first) });
  const perSecond = await rateOf(servers, create, durationMs);
  return [
    figureOf(`ha.${id}.create`, `create acknowledged, ${what}`, createMs),
    figureOf(`ha.${id}.get`, `get without resourceVersion, ${what}`, fencedMs),
    figureOf(`ha.${id}.get0`, `get with resourceVersion=0, ${what}`, unfencedMs),
    figureOf(`ha.${id}.watch`, `created at one server → seen by a watch at another, ${what}`, seenMs),
    { id: `ha.${id}.rate`, what: `creates, ${crowd} at a time, ${what}`, value: perSecond, unit: "/s" },
  ];
}

async function ensureNamespace({ client }: ApiServerProcess): Promise<void> {
  try {
    await client.create(namespaces, { metadata: { name: namespace } });
  } catch (error) {
    if (!isApiError(error, "AlreadyExists")) throw error;
  }
}

type Create = (server: ApiServerProcess) => Promise<ConfigMap>;

/** Creates objects whose names begin with `id`. */
function creations(id: string): Create {
  let made = 0;
  return ({ client }) => client.create(configMaps, aConfigMap(`${id}-${++made}`));
}

/** Measures the creates of one, two and three servers that share the same etcd. */
async function measureShare(servers: readonly ApiServerProcess[], { durationMs }: HaOptions): Promise<Figure> {
  const count = servers.length;
  for (const server of servers) await ensureNamespace(server);
  const value = await rateOf(servers, creations(`share-${count}`), durationMs);
  const what = `creates, ${crowd} at a time, ${count} ${count === 1 ? "server" : "servers"}, the same etcd of 3`;
  return { id: `ha.share.${count}`, what, value, unit: "/s" };
}

/** Returns the creates per second of many writers that are spread over the servers. */
async function rateOf(servers: readonly ApiServerProcess[], create: Create, durationMs: number): Promise<number> {
  const sinceMs = systemClock.monotonicMs();
  let done = 0;
  const writer = async (_: unknown, at: number) => {
    const server = servers[at % servers.length];
    if (server === undefined) throw new Error("there is a server");
    while (systemClock.monotonicMs() - sinceMs < durationMs) {
      await create(server);
      done++;
    }
  };
  await Promise.all(Array.from({ length: crowd }, writer));
  return done / ((systemClock.monotonicMs() - sinceMs) / 1000);
}

function figureOf(id: string, what: string, samples: readonly number[]): Figure {
  const { p50, p99, count } = describeSamples(samples);
  return { id, what, value: p50, unit: "ms", detail: `p99 ${p99.toFixed(1)} ms, ${count} in turn` };
}

async function timesOf(durationMs: number, call: () => Promise<unknown>): Promise<number[]> {
  const tookMs: number[] = [];
  const untilMs = systemClock.monotonicMs() + durationMs;
  for (let beganMs = systemClock.monotonicMs(); beganMs < untilMs;) {
    await call();
    const nowMs = systemClock.monotonicMs();
    tookMs.push(nowMs - beganMs);
    beganMs = nowMs;
  }
  return tookMs;
}

/**
 * Objects that are created while one watch follows, each after the previous object was received.
 */
const watched = 100;

async function watchLatency(options: {
  reader: ApiServerProcess;
  create: () => Promise<ConfigMap>;
}): Promise<number[]> {
  const { reader, create } = options;
  const stop = new AbortController();
  const { resourceVersion } = await reader.client.list(configMaps, { namespace });
  const seen = new Set<string>();
  let onSeen = (): void => {};
  const following = (async () => {
    const events = reader.client.watch(configMaps, { namespace, resourceVersion, signal: stop.signal });
    for await (const event of events) {
      if (event.type === "BOOKMARK") continue;
      seen.add(event.object.metadata.name ?? "");
      onSeen();
    }
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  const tookMs: number[] = [];
  for (let turn = 0; turn < watched; turn++) {
    const beganMs = systemClock.monotonicMs();
    const name = (await create()).metadata.name ?? "";
    await new Promise<void>((resolve) => {
      onSeen = () => seen.has(name) && resolve();
      onSeen();
    });
    tookMs.push(systemClock.monotonicMs() - beganMs);
  }
  stop.abort(new Error("enough was seen"));
  await following;
  return tookMs;
}

type Killing = (turn: number) => Promise<() => Promise<void>>;

/**
 * Kills the etcd members that the servers' clients use, one after the other, including the leader.
 */
function killMember(etcd: EtcdProcesses): Killing {
  return async (turn) => {
    const member = turn % etcd.endpoints.length;
    await etcd.kill(member);
    return () => etcd.start(member);
  };
}

function killServer(servers: readonly ApiServerProcess[]): Killing {
  return async (turn) => {
    const server = servers[turn % servers.length];
    await server?.kill();
    return async () => void (await server?.start());
  };
}

/** Measures the longest time between two acknowledged writes around each death. */
async function measureStall(
  what: "etcd-member" | "server",
  { servers, deaths }: { servers: readonly ApiServerProcess[]; deaths: number },
  kill: Killing,
): Promise<Figure> {
  const [first] = servers;
  if (first === undefined) throw new Error("there is a server");
  const urls = servers.map(({ access }) => access.server);
  const client = createHttpClient(deps, { ...first.access, servers: urls, userAgent: "kintsugi-bench" });
  const stallsMs: number[] = [];
  try {
    for (let turn = 0; turn < deaths; turn++) {
      const stop = new AbortController();
      const longest = longestPause(client, `${what}-${turn}`, stop.signal);
      await systemClock.sleep(1_000);
      const restart = await kill(turn);
      await systemClock.sleep(8_000);
      stop.abort(new Error("the death is over"));
      stallsMs.push(await longest);
      await restart();
      await systemClock.sleep(2_000);
    }
  } finally {
    await client.close();
  }
  const { p50, max } = describeSamples(stallsMs);
  return {
    id: `ha.stall.${what}`,
    what: what === "server" ? "an API server dies: longest wait for a write" : "a member of etcd dies: the same",
    value: p50,
    unit: "ms",
    detail: `worst ${Math.round(max)} ms of ${deaths}`,
  };
}

async function longestPause(client: Client, name: string, signal: AbortSignal): Promise<number> {
  let longestMs = 0;
  let lastMs = systemClock.monotonicMs();
  for (let at = 0; !signal.aborted; at++) {
    // A write whose answer was lost is not repeated, because the next write is as good a sign of
    // life.
    const isDone = await client.create(configMaps, aConfigMap(`${name}-${at}`)).then(
      () => true,
      () => false,
    );
    const nowMs = systemClock.monotonicMs();
    if (isDone) {
      longestMs = Math.max(longestMs, nowMs - lastMs);
      lastMs = nowMs;
    }
  }
  return longestMs;
}

function aConfigMap(name: string): ConfigMap {
  return { metadata: { namespace, name }, data: { text: "x".repeat(500) } };
}
