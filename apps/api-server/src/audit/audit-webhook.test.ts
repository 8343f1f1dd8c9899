import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { silentLogger, silentMetrics } from "@kintsugi/api";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { TestCertificates } from "../testing/test-certificates.ts";
import { createAuditMetrics } from "./audit-metrics.ts";
import { createAuditReceiver } from "./audit-receiver.ts";
import { AuditWebhook, type AuditWebhookOptions } from "./audit-webhook.ts";

/**
 * A receiver that answers with these statuses in turn, where 0 means no answer, and then with 200.
 */
function start(options: Partial<AuditWebhookOptions> = {}, statuses: number[] = []) {
  const clock = new VirtualClock();
  const posts: { atMs: number; ids: number[] }[] = [];
  const lost: string[] = [];
  const receiver = {
    post: async (body: string) => {
      const { kind, items } = JSON.parse(body) as { kind: string; items: { id: number }[] };
      expect(kind).toBe("EventList");
      posts.push({ atMs: clock.monotonicMs(), ids: items.map(({ id }) => id) });
      const status = statuses.shift() ?? 200;
      if (status === 0) throw new Error("connection refused");
      return { status };
    },
  };
  const metrics = { ...createAuditMetrics(silentMetrics), lost: (plugin: string) => lost.push(plugin) };
  const webhook = new AuditWebhook(
    { receiver, clock, random: new SeededRandom(1), log: silentLogger, metrics },
    {
      mode: "batch",
      initialBackoffMs: 10_000,
      waitingEventsMax: 10,
      batchEventsMax: 3,
      batchWaitMaxMs: 30_000,
      postsPerSecond: undefined,
      ...options,
    },
  );
  const append = (...ids: number[]) => Promise.all(ids.map((id) => webhook.append(`{"id":${id}}\n`)));
  return { clock, posts, lost, webhook, append };
}

test("events are posted in full batches or after a maximum wait, and requests do not wait for the post", async () => {
  const { clock, posts, append } = start();
  expect(await append(1, 2, 3, 4)).toEqual([true, true, true, true]);
  await clock.advance(0);
  expect(posts).toEqual([{ atMs: 0, ids: [1, 2, 3] }]);
  await clock.advance(30_000);
  expect(posts[1]).toEqual({ atMs: 30_000, ids: [4] });
  await clock.advance(60_000);
  expect(posts).toHaveLength(2);
});

test("a failed post is retried up to five tries with growing delays, and then its events are counted as lost", async () => {
  const { clock, posts, lost, append } = start({}, [500, 429, 0, 503, 0]);
  await append(1, 2, 3);
  await clock.advance(200_000);
  const waits = posts.map(({ atMs }, index) => atMs - (posts[index - 1]?.atMs ?? 0)).slice(1);
  expect(waits).toHaveLength(4);
  waits.forEach((wait, index) => {
    const least = 10_000 * 1.5 ** index;
    expect(wait).toBeGreaterThanOrEqual(least);
    expect(wait).toBeLessThanOrEqual(least * 1.2);
  });
  expect(lost).toEqual(["webhook", "webhook", "webhook"]);
});

test("a post that the receiver rejects is not retried", async () => {
  const { clock, posts, lost, append } = start({}, [403]);
  await append(1, 2, 3);
  await clock.advance(100_000);
  expect([posts.length, lost.length]).toEqual([1, 3]);
});

test("a receiver that hangs loses the events beyond the buffer, and does not delay requests", async () => {
  const { clock, lost, append, posts, webhook } = start({ postsPerSecond: { average: 1, burst: 1 } });
  await append(...Array.from({ length: 20 }, (_, index) => index));
  expect(lost.length).toBeGreaterThan(0);
  await clock.advance(10_000);
  // One post a second, and in the order of the events.
  expect(posts.map(({ atMs }) => atMs)).toEqual(posts.map((_, index) => index * 1000));
  await webhook.close();
  const ids = posts.flatMap((post) => post.ids);
  expect(ids.length + lost.length).toBe(20);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
});

test("in blocking mode each event is posted immediately, and its request waits for the response", async () => {
  const { clock, posts, append } = start({ mode: "blocking" }, [200, 403]);
  expect(await append(1)).toEqual([true]);
  expect(await append(2)).toEqual([false]);
  expect(posts.map(({ ids }) => ids)).toEqual([[1], [2]]);
  await clock.advance(0);
});

test("the remaining events are posted at shutdown, and later events are not accepted", async () => {
  const { posts, lost, webhook, append } = start();
  await append(1, 2);
  await webhook.close();
  expect(posts.map(({ ids }) => ids)).toEqual([[1, 2]]);
  await append(3);
  expect(lost).toEqual(["webhook"]);
});

test("the receiver is a kubeconfig's server, with its authority and token", async () => {
  const certificates = new TestCertificates()
    .authority()
    .issue("server", "/CN=receiver", { usage: "serverAuth", altNames: "IP:127.0.0.1" });
  const seen: string[] = [];
  const server = createServer(
    { key: certificates.read("server.key"), cert: certificates.read("server.crt") },
    (request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      response.writeHead(204).end();
    },
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/events?cluster=a`;
  const access = { context: "a", server: url, namespace: "default", token: "t" };
  const { signal } = new AbortController();
  const receiver = createAuditReceiver({ ...access, ca: certificates.read("ca.crt") });
  expect(await receiver.post("{}", signal)).toEqual({ status: 204 });
  await expect(createAuditReceiver(access).post("{}", signal)).rejects.toThrow(/certificate/);
  expect(seen).toEqual(["POST /events?cluster=a Bearer t"]);
  server.closeAllConnections();
  server.close();
});
