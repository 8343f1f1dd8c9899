import { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { configMaps, nodes, pods } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { afterEach, describe, expect, test } from "vitest";
import type { Client } from "../client.ts";
import type { HandlerRequest, RequestHandler } from "../in-process/request-handler.ts";
import { describeClientContract } from "../testing/client-contract.ts";
import { makeSelfSigned, serveOverHttps } from "../testing/https-server.ts";
import { MemoryApi } from "../testing/memory-api.ts";
import { ClientCredentials } from "./client-credentials.ts";
import { createHttpClient, type HttpClientOptions } from "./http-client.ts";
import { createHttpPool } from "./http-pool.ts";

const tls = makeSelfSigned();
const deps = { clock: systemClock, random: systemRandom };
const identity = { name: "tester", groups: [] };

describeClientContract("the HTTP client over MemoryApi", async () => {
  const api = new MemoryApi(deps, [configMaps]);
  const { client, close } = await open(api);
  return { client, compact: () => Promise.resolve(api.log.compact()), dispose: close };
});

describe("the HTTP client", () => {
  const opened: (() => Promise<void>)[] = [];
  const connect = async (handler: RequestHandler, options: Partial<HttpClientOptions> = {}) => {
    const connection = await open(handler, options);
    opened.push(connection.close);
    return connection;
  };
  afterEach(async () => {
    for (const close of opened.splice(0)) await close();
  });

  test("keeps its connection between calls", async () => {
    const { client, server } = await connect(new MemoryApi(deps, [pods]));
    let connections = 0;
    server.on("secureConnection", () => connections++);
    for (let i = 0; i < 5; i++) await client.list(pods);
    expect(connections).toBe(1);
  });

  test("never queues an urgent call behind others for a connection, and needs no idle connection for it", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const { client, server } = await connect(
      {
        handle: async ({ path }) => {
          if (path.includes("/pods/")) await held;
          return { status: 200, headers: {}, body: Buffer.from('{"metadata":{"name":"node-1"}}') };
        },
      },
      { callsMax: 2 },
    );
    let connections = 0;
    server.on("secureConnection", () => connections++);
    const heartbeat = () => client.get(nodes, { namespace: "", name: "node-1" }, { urgent: true });
    await heartbeat();
    expect(connections).toBe(1);
    const waiting = Array.from({ length: 5 }, () => client.get(pods, { namespace: "default", name: "web" }));
    await expect(heartbeat()).resolves.toMatchObject({ metadata: { name: "node-1" } });
    expect(connections).toBe(3);
    release();
    await Promise.all(waiting);
    expect(connections).toBe(3);
  });

  test("identifies itself", async () => {
    const seen: HandlerRequest[] = [];
    const { client } = await connect(recording(seen), { userAgent: "kintsugi-test/v1", token: "abc" });
    await client.call({ method: "GET", path: "/version" });
    expect(seen[0]?.headers).toMatchObject({ "user-agent": "kintsugi-test/v1", authorization: "Bearer abc" });
  });

  test("returns the headers of a successful response", async () => {
    const { client } = await connect({
      handle: () =>
        Promise.resolve({ status: 200, headers: { "kintsugi-node-pods-revision": "42" }, body: Buffer.from("{}") }),
    });
    let revision: string | undefined;
    const onHeaders = (headers: Readonly<Record<string, string>>) =>
      (revision = headers["kintsugi-node-pods-revision"]);
    await client.get(pods, { namespace: "default", name: "web" }, { onHeaders });
    expect(revision).toBe("42");
  });

  test("rejects a server that another authority has signed", async () => {
    const { client } = await connect(new MemoryApi(deps, [pods]), { ca: makeSelfSigned().cert });
    await expect(client.create(pods, { metadata: { name: "web", namespace: "default" } })).rejects.toMatchObject({
      name: "ConnectionError",
      outcomeUnknown: false,
    });
  });

  describe("with several servers", () => {
    const answering = (name: string, status = 200): RequestHandler => ({
      handle: () => Promise.resolve({ status, headers: { "retry-after": "0" }, body: Buffer.from(`{"by":"${name}"}`) }),
    });
    const ask = (client: Client) => client.call({ method: "GET", path: "/version" });
    const serve = async (handler: RequestHandler) => {
      const served = await serveOverHttps(handler, tls, identity);
      opened.push(served.close);
      return served;
    };

    test("uses the next server when its own no longer exists, even for a write, and keeps it", async () => {
      const second = await serve(answering("second"));
      const { client, close } = await connect(answering("first"), { servers: [second.url] });
      expect(await ask(client)).toEqual({ by: "first" });
      await close();
      const again = createHttpClient(deps, {
        server: "https://127.0.0.1:1",
        servers: ["https://127.0.0.1:1", second.url],
        ca: tls.cert,
        userAgent: "test",
      });
      opened.push(() => again.close());
      expect(await again.call({ method: "POST", path: "/api/v1/pods", body: {} })).toEqual({ by: "second" });
      expect(await ask(again)).toEqual({ by: "second" });
    });

    test("uses the next server when its own does not reach the objects or falls silent", async () => {
      const second = await serve(answering("second"));
      const refusing = await connect(answering("first", 503), { servers: [second.url] });
      expect(await ask(refusing.client)).toEqual({ by: "second" });
      const silent = await connect(
        { handle: () => new Promise<never>(() => {}) },
        { servers: [second.url], attemptTimeoutMs: 200 },
      );
      expect(await ask(silent.client)).toEqual({ by: "second" });
      expect(await ask(silent.client)).toEqual({ by: "second" });
    });

    test("moves all requests away from a silent machine at the same time, if it accepts no connection", async () => {
      const second = await serve(answering("second"));
      let probes = 0;
      const silent = await connect(
        { handle: () => new Promise<never>(() => {}) },
        { servers: [second.url], probe: () => Promise.resolve(++probes < 1) },
      );
      const write = silent.client.call({ method: "POST", path: "/api/v1/pods", body: {} });
      const startedMs = systemClock.monotonicMs();
      const answers = Promise.all([ask(silent.client), ask(silent.client)]);
      await expect(write).rejects.toMatchObject({ outcomeUnknown: true });
      expect(await answers).toEqual([{ by: "second" }, { by: "second" }]);
      expect(systemClock.monotonicMs() - startedMs).toBeLessThan(10_000);
      expect(probes).toBeLessThanOrEqual(3);
    });

    test("waits for a machine that is only slow", async () => {
      const second = await serve(answering("second"));
      let probes = 0;
      const slow = await connect(
        {
          handle: async () => {
            await systemClock.sleep(2_600);
            return { status: 200, headers: {}, body: Buffer.from('{"by":"first"}') };
          },
        },
        {
          servers: [second.url],
          probe: () => {
            probes++;
            return Promise.resolve(true);
          },
        },
      );
      expect(await ask(slow.client)).toEqual({ by: "first" });
      expect(probes).toBe(1);
    });

    test("does not repeat a write with an unknown outcome at the next server", async () => {
      let writes = 0;
      const counting: RequestHandler = {
        handle: () => {
          writes++;
          return Promise.resolve({ status: 201, headers: {}, body: Buffer.from("{}") });
        },
      };
      const second = await serve(counting);
      const first = await connect(
        {
          handle: () => {
            first.server.closeAllConnections();
            return new Promise<never>(() => {});
          },
        },
        { servers: [second.url] },
      );
      const write = first.client.call({ method: "POST", path: "/api/v1/pods", body: {} });
      await expect(write).rejects.toMatchObject({ outcomeUnknown: true });
      expect(writes).toBe(0);
    });
  });

  test("refuses a connection without TLS", () => {
    expect(() => createHttpClient(deps, { server: "http://127.0.0.1:1", userAgent: "test" })).toThrow("https only");
  });

  test("retries a connection that was refused, and then reports its attempts", async () => {
    const { client, close } = await connect(new MemoryApi(deps, [pods]));
    await close();
    const failed = client.create(pods, { metadata: { name: "web", namespace: "default" } });
    await expect(failed).rejects.toMatchObject({
      message: expect.stringMatching(
        /^POST https:\/\/127\.0\.0\.1:\d+\/api\/v1\/namespaces\/default\/pods: .*ECONNREFUSED/,
      ) as string,
      outcomeUnknown: false,
    });
  });

  test("does not repeat a write whose connection broke, and reports that its outcome is unknown", async () => {
    let calls = 0;
    const { client, server } = await connect({
      handle: () => {
        calls++;
        server.closeAllConnections();
        return new Promise<never>(() => {});
      },
    });
    await expect(client.create(pods, { metadata: { name: "web", namespace: "default" } })).rejects.toMatchObject({
      outcomeUnknown: true,
    });
    expect(calls).toBe(1);
  });

  test("repeats a read whose connection broke", async () => {
    let calls = 0;
    const { client, server } = await connect({
      handle: () => {
        if (++calls > 1) return Promise.resolve({ status: 200, headers: {}, body: Buffer.from('{"ok":true}') });
        server.closeAllConnections();
        return new Promise<never>(() => {});
      },
    });
    expect(await client.call({ method: "GET", path: "/version" })).toEqual({ ok: true });
  });

  test("retries when a busy server requests it, even for a write", async () => {
    let calls = 0;
    const { client } = await connect({
      handle: () =>
        Promise.resolve(
          ++calls === 1
            ? { status: 429, headers: { "retry-after": "0" }, body: Buffer.from("{}") }
            : { status: 201, headers: {}, body: Buffer.from('{"ok":true}') },
        ),
    });
    expect(await client.call({ method: "POST", path: "/api/v1/pods", body: {} })).toEqual({ ok: true });
    expect(calls).toBe(2);
  });

  test("aborts a call whose response does not arrive", async () => {
    const { client } = await connect(
      { handle: () => new Promise<never>(() => {}) },
      { attemptTimeoutMs: 50, callTimeoutMs: 120 },
    );
    await expect(client.call({ method: "POST", path: "/api/v1/pods", body: {} })).rejects.toMatchObject({
      message: expect.stringContaining("no answer within 0.05 s") as string,
      outcomeUnknown: true,
    });
  });

  test("aborts a response that stops in the middle", async () => {
    const stuck = (async function* () {
      yield Buffer.from('{"items":[');
      await new Promise(() => {});
    })();
    const { client } = await connect(
      { handle: () => Promise.resolve({ status: 200, headers: {}, body: stuck }) },
      { attemptTimeoutMs: 50, callTimeoutMs: 50 },
    );
    await expect(client.list(pods)).rejects.toMatchObject({ name: "ConnectionError" });
  });

  test("reconnects with new credentials, and calls in flight end with the old credentials", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const credentials = new ClientCredentials({ ca: tls.cert, ...tls });
    const renewed = makeSelfSigned();
    const shown: string[] = [];
    const { client, server } = await connect(
      {
        handle: async ({ path }) => {
          if (path === "/held") await held;
          return { status: 200, headers: {}, body: Buffer.from("{}") };
        },
      },
      { credentials },
    );
    server.setSecureContext({ ...tls, ca: [tls.cert, renewed.cert] });
    Object.assign(server, { requestCert: true });
    server.on("secureConnection", (socket: TLSSocket) => shown.push(socket.getPeerCertificate().fingerprint256));
    const underWay = client.call({ method: "GET", path: "/held" });
    await client.call({ method: "GET", path: "/free" });
    credentials.replace({ ca: tls.cert, ...renewed });
    for (let i = 0; i < 3; i++) await client.call({ method: "GET", path: "/free" });
    release();
    await underWay;
    const fingerprint = (pem: string) => new X509Certificate(pem).fingerprint256;
    expect(shown).toEqual([fingerprint(tls.cert), fingerprint(tls.cert), fingerprint(renewed.cert)]);
  });

  test("serves watches without delaying calls", async () => {
    const { client } = await connect(new MemoryApi(deps, [pods]));
    const stop = new AbortController();
    const watches = Array.from({ length: 50 }, async () => {
      for await (const event of client.watch(pods, { resourceVersion: "0", signal: stop.signal })) void event;
    });
    expect((await client.list(pods)).items).toEqual([]);
    stop.abort();
    await Promise.all(watches);
  });

  test("throws when a watch's connection breaks, so that its reader does not treat silence as an absence of changes", async () => {
    const api = new MemoryApi(deps, [pods]);
    const { client } = await connect(api);
    const watching = (async () => {
      for await (const event of client.watch(pods, {
        resourceVersion: "0",
        bookmarks: true,
        signal: new AbortController().signal,
      })) {
        if (event.type === "BOOKMARK") api.endWatches(true);
      }
    })();
    await expect(watching).rejects.toMatchObject({ name: "ConnectionError" });
  });
});

test("sends a pool's calls for different users over shared connections, which outlive each client", async () => {
  const seen: HandlerRequest[] = [];
  const { url, server, close } = await serveOverHttps(recording(seen), tls, identity);
  let connections = 0;
  server.on("secureConnection", () => connections++);
  const pool = createHttpPool(deps, { server: url, ca: tls.cert, userAgent: "kintsugi-test", token: "abc" });
  const node = pool.client({ name: "system:node:node-1", group: "system:nodes" });
  await node.call({ method: "GET", path: "/version" });
  await node.close();
  await pool.client().call({ method: "GET", path: "/version" });
  expect(connections).toBe(1);
  expect(seen.map(({ headers }) => [headers["impersonate-user"], headers["impersonate-group"]])).toEqual([
    ["system:node:node-1", "system:nodes"],
    [undefined, undefined],
  ]);
  expect(seen.map(({ headers }) => headers["authorization"])).toEqual(["Bearer abc", "Bearer abc"]);
  await pool.close();
  await close();
});

async function open(handler: RequestHandler, options: Partial<HttpClientOptions> = {}) {
  const { url, server, close } = await serveOverHttps(handler, tls, identity);
  const client: Client = createHttpClient(deps, { server: url, ca: tls.cert, userAgent: "test", ...options });
  return {
    client,
    server,
    close: async () => {
      await client.close();
      await close();
    },
  };
}

function recording(seen: HandlerRequest[]): RequestHandler {
  return {
    handle: (request) => {
      seen.push(request);
      return Promise.resolve({ status: 200, headers: {}, body: Buffer.from("{}") });
    },
  };
}
