import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect as connectPlain } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { silentLogger } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createAuthority } from "@kintsugi/pki";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { RoutePlan, RouteTable } from "../plan/route-plan.ts";
import { HaproxyGateway } from "./haproxy-gateway.ts";
import { HaproxyProcess } from "./haproxy-process.ts";

const program = "/usr/sbin/haproxy";
beforeEach(({ skip }) =>
  skip(!existsSync(program), "this host lacks a package: install with `apt-get install haproxy`"),
);

const pki = { clock: systemClock, random: systemRandom };

async function pemOf(name: string): Promise<string> {
  const authority = await createAuthority(pki, "test");
  const { certificate, key } = await authority.issue({ commonName: name, usages: ["server"], dnsNames: [name] });
  return `${certificate}\n${key}\n`;
}

/** A pod of the cluster, which answers with its name, the path and the added headers. */
async function aServer(name: string): Promise<{ address: string; port: number }> {
  const server = createServer((asked, answer) => {
    const { "x-forwarded-for": client, "x-forwarded-proto": scheme } = asked.headers;
    answer.end(JSON.stringify({ name, path: asked.url, client, scheme }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { address: "127.0.0.1", port: (server.address() as AddressInfo).port };
}

async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()];
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const [http, https] = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  return [http ?? 0, https ?? 0];
}

async function start(directory?: string, ports?: [number, number]) {
  const place = directory ?? (await mkdtemp(join(tmpdir(), "ingress-")));
  const [http, https] = ports ?? (await freePorts());
  const process = new HaproxyProcess({ clock: systemClock, log: silentLogger }, { program, directory: place });
  const gateway = new HaproxyGateway(
    { clock: systemClock, log: silentLogger, process },
    {
      directory: place,
      http: { address: "127.0.0.1", port: http },
      https: { address: "127.0.0.1", port: https },
      ownCertificate: await pemOf("own.invalid"),
      user: undefined,
    },
  );
  const stop = new AbortController();
  const ended = gateway.run(stop.signal).catch(() => {});
  const end = async () => {
    stop.abort();
    await ended;
    await rm(place, { recursive: true, force: true });
  };
  onTestFinished(end);
  return { gateway, http, https, directory: place, end };
}

async function get(
  port: number,
  host: string,
  path: string,
): Promise<{ status: number; body: Record<string, string> }> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { host, "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https" };
    request({ host: "127.0.0.1", port, path, headers, agent: false }, resolve).once("error", reject).end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return {
    status: answer.statusCode ?? 0,
    body: text.startsWith("{") ? (JSON.parse(text) as Record<string, string>) : {},
  };
}

/** The name in the certificate that a client gets when it requests `servername`. */
function certifiedName(port: number, servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, servername, rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

function aTable(host: string, routes: Partial<RouteTable>): RouteTable {
  return { host, exact: new Map(), prefixes: new Map(), otherwise: undefined, ...routes };
}

const nothing: RoutePlan = { tables: [], backends: [], certificates: [], defaultBackend: undefined };

test("a client gets a quarter of the connections, and its slow connections do not affect other clients", async () => {
  const { gateway, http } = await start();
  const one = await aServer("one");
  await gateway.serve({
    ...nothing,
    tables: [aTable("a.example", { prefixes: new Map([["/", "b"]]) })],
    backends: [{ name: "b", servers: [one] }],
  });
  let ended = 0;
  const slow = Array.from({ length: 1_024 + 16 }, () => {
    const socket = connectPlain({ port: http, host: "127.0.0.1", localAddress: "127.0.0.9" });
    return socket.on("error", () => {}).on("close", () => ended++);
  });
  onTestFinished(() => {
    for (const socket of slow) socket.destroy();
  });
  // A slow request has 10 s; requests beyond the share end immediately.
  await expect.poll(() => ended, { timeout: 8_000 }).toBe(16);
  expect((await get(http, "a.example", "/")).status).toBe(200);
});

test("requests reach the backend of their host and path, and receive 404 or 503 without a backend", async () => {
  const { gateway, http } = await start();
  const [one, two] = [await aServer("one"), await aServer("two")];
  await gateway.serve({
    ...nothing,
    tables: [
      aTable("", { prefixes: new Map([["/any/", "ns:one:80"]]) }),
      aTable("a.example", {
        exact: new Map([["/shop", "ns:two:80"]]),
        prefixes: new Map([
          ["/shop/", "ns:one:80"],
          ["/shop/cart/", "ns:two:80"],
          ["/empty/", "ns:empty:80"],
        ]),
      }),
      aTable("*.a.example", { prefixes: new Map([["/", "ns:two:80"]]) }),
      aTable("b.example", { otherwise: "ns:two:80" }),
    ],
    backends: [
      { name: "ns:empty:80", servers: [] },
      { name: "ns:one:80", servers: [one] },
      { name: "ns:two:80", servers: [two] },
    ],
  });
  const ask = async (host: string, path: string) => {
    const { status, body } = await get(http, host, path);
    return status === 200 ? body["name"] : status;
  };
  const expected: [string, string, string | number][] = [
    ["a.example", "/shop", "two"],
    ["A.EXAMPLE:8080", "/shop/", "one"],
    ["a.example", "/shop?x=/cart", "two"],
    ["a.example", "/shop/cart", "two"],
    ["a.example", "/shop/cart/7", "two"],
    ["a.example", "/shop/cartoon", "one"],
    ["a.example", "/shopping", 404],
    ["a.example", "/empty", 503],
    ["a.example", "/any", 404],
    ["x.a.example", "/shop", "two"],
    ["x.y.a.example", "/shop", 404],
    ["x.y.a.example", "/any/thing", "one"],
    ["b.example", "/shop", "two"],
    ["a.example", "/shop/../empty", 400],
    ["a.example", "/shop/%2e%2E/empty", 400],
    ["a.example", "/shop/..x", "one"],
  ];
  const seen = await Promise.all(expected.map(async ([host, path]) => [host, path, await ask(host, path)]));
  expect(seen).toEqual(expected);
  const { body } = await get(http, "a.example", "/shop/x");
  // These headers are not trusted when a client writes them itself.
  expect(body).toMatchObject({ path: "/shop/x", client: "127.0.0.1", scheme: "http" });
});

test("new routes are applied without a failed request", async () => {
  const { gateway, http, directory } = await start();
  const [one, two] = [await aServer("one"), await aServer("two")];
  const to = (server: { address: string; port: number }): RoutePlan => ({
    ...nothing,
    backends: [{ name: "ns:web:80", servers: [server] }],
    defaultBackend: "ns:web:80",
  });
  await gateway.serve(to(one));
  const seen = new Map<string, number>();
  let isAsking = true;
  const asking = (async () => {
    while (isAsking) {
      const { status, body } = await get(http, "a", "/");
      const key = status === 200 ? (body["name"] ?? "") : String(status);
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
  })();
  for (const server of [two, one, two, one, two]) await gateway.serve(to(server));
  isAsking = false;
  await asking;
  expect([...seen.keys()].toSorted()).toEqual(["one", "two"]);
  await systemClock.sleep(100);
  expect((await get(http, "a", "/")).body["name"]).toBe("two");
  const kept = (await readdir(directory)).filter((name) => /^\d+$/.test(name));
  expect(kept).toHaveLength(3);
});

test("a client gets the certificate of the requested name, and the default certificate for other names", async () => {
  const { gateway, https } = await start();
  await gateway.serve({
    ...nothing,
    certificates: [
      { name: "ns/one", pem: await pemOf("one.example"), hosts: ["a.example"] },
      { name: "ns/wild", pem: await pemOf("wild.example"), hosts: ["*.b.example"] },
    ],
  });
  expect(await certifiedName(https, "a.example")).toBe("one.example");
  expect(await certifiedName(https, "x.b.example")).toBe("wild.example");
  expect(await certifiedName(https, "c.example")).toBe("own.invalid");
});

test("a certificate that HAProxy rejects is omitted, and the rest is served", async () => {
  const { gateway, https } = await start();
  await gateway.serve({
    ...nothing,
    certificates: [
      { name: "ns/bad", pem: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", hosts: ["bad"] },
      { name: "ns/good", pem: await pemOf("good.example"), hosts: ["good.example"] },
    ],
  });
  expect(await certifiedName(https, "good.example")).toBe("good.example");
  expect(await certifiedName(https, "bad")).toBe("own.invalid");
});

test("a configuration that HAProxy rejects has no effect", async () => {
  const { gateway, http } = await start();
  const one = await aServer("one");
  const routes: RoutePlan = {
    ...nothing,
    backends: [{ name: "ns:web:80", servers: [one] }],
    defaultBackend: "ns:web:80",
  };
  await gateway.serve(routes);
  const bad = { ...routes, backends: [{ name: "two words", servers: [one] }], defaultBackend: undefined };
  await expect(gateway.serve(bad)).rejects.toThrow(/haproxy refuses its configuration/);
  expect((await get(http, "a", "/")).body["name"]).toBe("one");
});

test("HAProxy outlives the process that started it, is found by the next process, and is restarted if it exits", async () => {
  const { gateway, http, https, directory } = await start();
  const one = await aServer("one");
  const routes: RoutePlan = {
    ...nothing,
    backends: [{ name: "ns:web:80", servers: [one] }],
    defaultBackend: "ns:web:80",
  };
  await gateway.serve(routes);
  const pid = () => readFile(join(directory, "haproxy.pid"), "utf8");
  const first = await pid();
  // Another process in the same directory, as after a kill -9.
  const next = await start(directory, [http, https]);
  await next.gateway.serve(routes);
  expect(await pid()).toBe(first);
  process.kill(Number(first), "SIGKILL");
  await expect
    .poll(async () => ((await pid()) === first ? 0 : (await get(http, "a", "/").catch(() => ({ status: 0 }))).status), {
      timeout: 10_000,
    })
    .toBe(200);
  expect(await pid()).not.toBe(first);
});
