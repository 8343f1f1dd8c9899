import { createSocket } from "node:dgram";
import { Resolver as DnsClient } from "node:dns/promises";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { silentLogger, silentMetrics } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { decode, encode } from "dns-packet";
import { expect, onTestFinished, test } from "vitest";
import { Forwarder } from "./forwarder.ts";
import { NameServer } from "./name-server.ts";
import { Resolver } from "./resolver.ts";
import { readFrames, writeFrame } from "./tcp-frames.ts";
import { aService, aSlice, directoryOf } from "./testing/directory-of.ts";

// Real sockets on loopback, with Node's resolver, which is c-ares, as the client.

const many = Array.from({ length: 60 }, (_, index) => ({ address: `10.64.1.${index}` }));
const directory = directoryOf(
  [
    aService("web", { clusterIP: "10.96.3.4", ports: [{ name: "http", port: 80, protocol: "TCP" }] }),
    aService("db", { clusterIP: "None" }),
  ],
  [aSlice("db", many)],
);

interface Running {
  client: DnsClient;
  port: number;
  logged: string[];
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A name server that queries `upstream`, a port on loopback, for names outside of the cluster. */
async function serve(
  upstream: { servers?: readonly string[]; port?: number; timeoutMs?: number } = {},
): Promise<Running> {
  const port = await freePort();
  const logged: string[] = [];
  const log = {
    ...silentLogger,
    info: (text: string) => void logged.push(text),
    error: (text: string) => void logged.push(text),
  };
  const { servers = ["127.0.0.1"], ...options } = upstream;
  const forwarder = new Forwarder({ clock: systemClock, random: systemRandom, servers: async () => servers }, options);
  const deps = {
    clock: systemClock,
    random: systemRandom,
    log,
    metrics: silentMetrics,
    directory,
    forwarder,
    isOwn: (address: string) => address === "127.0.0.1",
  };
  const resolver = new Resolver(deps, { domain: "cluster.local", ttlSeconds: 5, servers: [] });
  const stop = new AbortController();
  const ended = new NameServer({ clock: systemClock, log, resolver }, { port, otherwise: "x" }).run(
    "127.0.0.1",
    stop.signal,
  );
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  await expect.poll(() => logged).toContain("answering names");
  const client = new DnsClient({ timeout: 2_000, tries: 1 });
  client.setServers([`127.0.0.1:${port}`]);
  return { client, port, logged };
}

/** A server that answers every question with 192.0.2.80, and records them. */
async function anUpstream({ wrongId = false } = {}) {
  const asked: string[] = [];
  const answer = (packet: Buffer) => {
    const { id = 0, questions = [] } = decode(packet);
    const name = questions[0]?.name ?? "";
    asked.push(name);
    const answers = [{ type: "A" as const, name, ttl: 300, data: "192.0.2.80" }];
    return encode({ type: "response", id: wrongId ? (id + 1) & 0xffff : id, questions, answers });
  };
  const tcp = createServer((socket) => readFrames(socket, (packet) => writeFrame(socket, answer(packet))));
  tcp.listen(0, "127.0.0.1");
  await once(tcp, "listening");
  const { port } = tcp.address() as { port: number };
  const udp = createSocket("udp4");
  udp.on("message", (packet, from) => udp.send(answer(packet), from.port, from.address));
  udp.bind(port, "127.0.0.1");
  await once(udp, "listening");
  onTestFinished(() => {
    tcp.close();
    udp.close();
  });
  return { port, asked };
}

test("a resolver receives addresses, ports and names", async () => {
  const { client } = await serve();
  expect(await client.resolve4("web.shop.svc.cluster.local")).toEqual(["10.96.3.4"]);
  // Node.js 24 adds the type of the record.
  expect(await client.resolveSrv("_http._tcp.web.shop.svc.cluster.local")).toMatchObject([
    { name: "web.shop.svc.cluster.local", port: 80, priority: 0, weight: 100 },
  ]);
  expect(await client.reverse("10.96.3.4")).toEqual(["web.shop.svc.cluster.local"]);
  expect(await client.resolveSoa("cluster.local")).toMatchObject({ nsname: "ns.dns.cluster.local", minttl: 5 });
  await expect(client.resolve4("nope.shop.svc.cluster.local")).rejects.toMatchObject({ code: "ENOTFOUND" });
  await expect(client.resolve6("web.shop.svc.cluster.local")).rejects.toMatchObject({ code: "ENODATA" });
});

test("more addresses than fit into a packet are sent over TCP", async () => {
  const { client } = await serve();
  expect((await client.resolve4("db.shop.svc.cluster.local")).toSorted()).toEqual(
    many.map(({ address }) => address).toSorted(),
  );
});

test("many concurrent questions are all answered", async () => {
  const { client } = await serve();
  const answers = await Promise.all(Array.from({ length: 500 }, () => client.resolve4("web.shop.svc.cluster.local")));
  expect(new Set(answers.flat())).toEqual(new Set(["10.96.3.4"]));
});

test("names outside the cluster are forwarded to another server, and to the next server if the first does not listen", async () => {
  const upstream = await anUpstream();
  const { client } = await serve({ servers: ["127.0.0.2", "127.0.0.1"], port: upstream.port });
  expect(await client.resolve4("example.com")).toEqual(["192.0.2.80"]);
  expect(upstream.asked).toEqual(["example.com"]);
});

test("a server that does not answer causes a delay only once, because the server that answered last is queried first", async () => {
  const upstream = await anUpstream();
  const silent = createSocket("udp4");
  let unanswered = 0;
  silent.on("message", () => unanswered++);
  silent.bind(upstream.port, "127.0.0.2");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const { client } = await serve({ servers: ["127.0.0.2", "127.0.0.1"], port: upstream.port, timeoutMs: 100 });
  for (let times = 0; times < 3; times++) expect(await client.resolve4("example.com")).toEqual(["192.0.2.80"]);
  expect([unanswered, upstream.asked.length]).toEqual([1, 3]);
});

test("over TCP other servers are queried over TCP, and a connection may send many questions", async () => {
  const upstream = await anUpstream();
  const { port } = await serve({ port: upstream.port });
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const answers: string[] = [];
  readFrames(socket, (packet) => {
    const { id, answers: records = [] } = decode(packet);
    answers.push(`${id} ${records.map((record) => (record.type === "A" ? record.data : record.type)).join()}`);
  });
  for (const [index, name] of ["a.example", "web.shop.svc.cluster.local", "b.example"].entries())
    writeFrame(socket, encode({ type: "query", id: index, questions: [{ type: "A", name }] }));
  await expect.poll(() => answers.toSorted()).toEqual(["0 192.0.2.80", "1 10.96.3.4", "2 192.0.2.80"]);
});

test("a response to another question is ignored, and the client is notified that no server answered", async () => {
  const upstream = await anUpstream({ wrongId: true });
  const { client } = await serve({ port: upstream.port, timeoutMs: 100 });
  await expect(client.resolve4("example.com")).rejects.toMatchObject({ code: "ESERVFAIL" });
  expect(upstream.asked).toEqual(["example.com"]);
});

test("without another server, other names fail immediately", async () => {
  const { client } = await serve({ servers: [] });
  await expect(client.resolve4("example.com")).rejects.toMatchObject({ code: "ESERVFAIL" });
});

test("questions beyond the waiting limit are refused", async () => {
  const silent = createSocket("udp4");
  silent.bind(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const options = { port: silent.address().port, waitingMax: 2, timeoutMs: 200 };
  const forwarder = new Forwarder(
    { clock: systemClock, random: systemRandom, servers: async () => ["127.0.0.1"] },
    options,
  );
  const packet = encode({ type: "query", id: 1, questions: [{ type: "A", name: "a.example" }] });
  const asked = await Promise.allSettled([1, 2, 3].map(() => forwarder.ask(packet, "udp")));
  expect(asked.map((each) => each.status === "rejected" && (each.reason as Error).constructor.name)).toEqual([
    "NobodyAnswered",
    "NobodyAnswered",
    "TooManyWaiting",
  ]);
});

test("if the port is in use, the server reports a remedy, and answers once the port is free", async () => {
  const other = createSocket("udp4");
  const port = await freePort();
  other.bind(port, "127.0.0.1");
  await once(other, "listening");
  const logged: string[] = [];
  const log = {
    ...silentLogger,
    info: (text: string) => void logged.push(text),
    error: (text: string, fields?: object) =>
      void logged.push(`${text}: ${(fields as { error: Error } | undefined)?.error.message}`),
  };
  // Each wait of a second is shortened.
  const clock = { ...systemClock, sleep: (_: number, signal?: AbortSignal) => systemClock.sleep(10, signal) };
  const resolver = { answer: async () => undefined };
  const stop = new AbortController();
  const ended = new NameServer({ clock, log, resolver }, { port, otherwise: "choose another" }).run(
    "127.0.0.1",
    stop.signal,
  );
  await expect
    .poll(() => logged)
    .toContain(`DNS queries are not answered: port ${port} on 127.0.0.1 is in use: choose another`);
  other.close();
  await expect.poll(() => logged.at(-1)).toBe("answering names");
  stop.abort();
  await ended;
});

test("256 connections that send a byte now and then do not block other clients' names over TCP", async () => {
  const { port } = await serve();
  let ended = 0;
  const slow = Array.from({ length: 256 }, () => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.9" });
    socket.on("error", () => {});
    socket.on("close", () => ended++);
    socket.on("connect", () => socket.write(Buffer.from([0xff, 0xff])));
    return socket;
  });
  onTestFinished(() => {
    for (const socket of slow) socket.destroy();
  });
  // The share of one client is an eighth of all.
  await expect.poll(() => ended, { timeout: 5_000 }).toBe(256 - 32);
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const answered = new Promise((resolve) => readFrames(socket, (packet) => resolve(decode(packet).answers?.length)));
  writeFrame(socket, encode({ type: "query", id: 1, questions: [{ type: "A", name: "web.shop.svc.cluster.local" }] }));
  expect(await answered).toBe(1);
});

test("a question that is incomplete after 5 s ends its connection, even if bytes continue to arrive", async () => {
  const { port } = await serve();
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  const answers: number[] = [];
  readFrames(socket, (packet) => void answers.push(decode(packet).id ?? 0));
  const ended = once(socket, "close");
  const question = encode({ type: "query", id: 7, questions: [{ type: "A", name: "web.shop.svc.cluster.local" }] });
  const startedMs = systemClock.monotonicMs();
  writeFrame(socket, question);
  await expect.poll(() => answers).toEqual([7]);
  socket.write(Buffer.from([0xff, 0xff]));
  const drip = async () => {
    for (; !socket.destroyed; await systemClock.sleep(200)) socket.write("x");
  };
  await Promise.all([ended, drip()]);
  const tookMs = systemClock.monotonicMs() - startedMs;
  expect([tookMs > 4_000, tookMs < 8_000]).toEqual([true, true]);
});
