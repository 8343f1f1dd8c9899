import { once } from "node:events";
import { connect, type IncomingHttpHeaders } from "node:http2";
import { request as httpsRequest } from "node:https";
import { certificateSigningRequests, silentLogger } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createAuthority, createSigningRequest } from "@kintsugi/pki";
import { describe, expect, test, vi } from "vitest";
import { signingBy } from "./access/identities.ts";
import { Activity } from "./cluster/activity.ts";
import { program, type ServedCluster, startServedCluster } from "./factory.ts";
import { Settler } from "./time/settler.ts";

const deps = { clock: systemClock, random: systemRandom, log: silentLogger };
const start = () => startServedCluster(deps, program.readConfig(["--nodes=0", "--clock=steered"]));
const control = "/apis/kintsugi.dev/v1alpha1";
const namespaces = "/api/v1/namespaces";

interface Asked {
  readonly body?: unknown;
  /** Default: the token of the administrator. */
  readonly headers?: Record<string, string>;
  readonly cert?: string;
  readonly key?: string;
}

/**
 * Sends a request over TLS, as a client of another process. Status 0: there was no answer, and the
 * body is the code of the error.
 */
function send(
  { url, identities }: ServedCluster,
  line: string,
  { body, headers = { authorization: `Bearer ${identities.token}` }, ...tls }: Asked = {},
): Promise<{ status: number; body: string }> {
  const [method, path = ""] = line.split(" ");
  return new Promise((resolve) => {
    const ca = identities.authority.certificate;
    const sent = { ca, method, headers: { ...headers, "content-type": "application/json" }, agent: false, ...tls };
    const request = httpsRequest(`${url}${path}`, sent, (answer) => {
      let text = "";
      answer.on("data", (chunk: Buffer) => (text += chunk.toString()));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: text }));
      answer.on("error", () => resolve({ status: 0, body: text }));
    });
    request.on("error", ({ code = "" }: NodeJS.ErrnoException) => resolve({ status: 0, body: code }));
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/**
 * A connection of HTTP/2 with a watch. `isOpen`: an event arrived. `ended` resolves with the code
 * of the first error, or with "closed". If a write of this client meets a reset first, Node.js
 * shows its reads an end without an error.
 */
async function watchByHttp2({ url, identities }: ServedCluster) {
  const session = connect(url, { ca: identities.authority.certificate });
  const authorization = `Bearer ${identities.token}`;
  const watch = session.request({ ":path": `${namespaces}?watch=1`, authorization });
  const ended = new Promise<string>((resolve) => {
    for (const each of [session, watch]) each.on("error", ({ code = "" }: NodeJS.ErrnoException) => resolve(code));
    session.on("close", () => resolve("closed"));
  });
  const opened = once(watch, "data").then(
    () => true,
    () => false,
  );
  const isOpen = await Promise.race([opened, ended.then(() => false)]);
  return { session, authorization, isOpen, ended };
}

const statusOf = async (...given: Parameters<typeof send>) => (await send(...given)).status;

const unreadable: readonly [body: object, sentence: string][] = [
  [{ fault: "api-refuses", with: { shair: 0.25 } }, 'unknown setting "shair" of api-refuses; did you mean "share"?'],
  [{ fault: "api-refuses", with: { share: "a quarter" } }, '"a quarter" is not a number'],
  [{ fault: "api-refuses", with: { share: 25 } }, "with.share must be a share between 0 and 1, such as 0.25, not 25"],
  [{ fault: "api-refuses", with: { code: 418 } }, "with.code must be one of 429, 500, 503 and 504, not 418"],
  [{ fault: "api-slow", with: { verb: "writes" } }, 'with.verb: "writes" is not a verb'],
  [{ fault: "api-slow", with: { delayMs: 1e12 } }, "with.delayMs must be between 0 and 60000"],
  [{ fault: "compaction", for: "1m" }, "for: compaction ends immediately"],
  [{ fault: "kill-node", target: "node-1" }, "this cluster has no target for kill-node"],
];

describe("faults of the API server", () => {
  test("do not hit the requests that undo them", async () => {
    await using server = await start();
    expect(await statusOf(server, `POST ${control}/faults`, { body: { fault: "api-refuses" } })).toBe(201);
    expect(await statusOf(server, `GET ${namespaces}`)).toBe(500);
    expect(await statusOf(server, `POST ${control}/clock`, { body: { advance: "1m" } })).toBe(200);
    expect(await statusOf(server, `DELETE ${control}/faults`)).toBe(200);
    expect(await statusOf(server, `GET ${namespaces}`)).toBe(200);
  });

  test.each(["kill-service", "pause-service"])("%s is undone while no API server answers", async (fault) => {
    await using server = await start();
    const body = { fault, target: "api-server" };
    expect(await statusOf(server, `POST ${control}/faults`, { body })).toBe(201);
    const advance = await send(server, `POST ${control}/clock`, { body: { advance: "1m" } });
    expect(JSON.parse(advance.body)).toMatchObject({ advance: { movedMs: 60_000, settled: true } });
    const marked = await send(server, `POST ${control}/marks`, { body: { name: "now" } });
    expect(marked.status).toBe(201);
    // The server rejects all other callers, because no authorizer checks them now.
    for (const headers of [
      { authorization: "Bearer wrong" },
      { authorization: `Bearer ${server.identities.token}`, "impersonate-user": "somebody" },
      {},
    ])
      expect(await statusOf(server, `DELETE ${control}/faults`, { headers })).toBe(503);
    const { certificate: cert, key } = server.identities.administrator;
    expect(await statusOf(server, `DELETE ${control}/faults/${fault}-1`, { headers: {}, cert, key })).toBe(200);
    await vi.waitFor(async () => expect(await statusOf(server, `GET ${namespaces}`)).toBe(200), { timeout: 10_000 });
  });

  test("that select external clients by their user agent do not prevent a skip over idle hours", async () => {
    await using server = await start();
    await server.nodesReady;
    const advanceUnder = async (chosen: object) => {
      await send(server, `POST ${control}/faults`, { body: { fault: "api-refuses", with: chosen } });
      const { body } = await send(server, `POST ${control}/clock`, { body: { advance: "10m" } });
      await send(server, `DELETE ${control}/faults`);
      return (JSON.parse(body) as { advance: { passedOverMs: number } }).advance.passedOverMs;
    };
    expect(await advanceUnder({ userAgent: "my-operator" })).toBeGreaterThan(9 * 60_000);
    expect(await advanceUnder({ userAgent: "kintsugi-in", share: 0 })).toBe(0);
    expect(await advanceUnder({ verb: "write", share: 0 })).toBe(0);
  });

  test("that kill it reset the connections of all clients, which get no response until it is back", async () => {
    await using server = await start();
    const watch = send(server, `GET ${namespaces}?watch=1`);
    const { isOpen, ended, session } = await watchByHttp2(server);
    expect(isOpen).toBe(true);
    const body = { fault: "kill-service", target: "api-server" };
    expect(await statusOf(server, `POST ${control}/faults`, { body })).toBe(201);
    expect((await watch).status).toBe(0);
    expect(["ECONNRESET", "closed"]).toContain(await ended);
    expect(session.destroyed).toBe(true);
    expect(await send(server, `GET ${namespaces}`)).toEqual({ status: 0, body: "ECONNRESET" });
    expect((await watchByHttp2(server)).isOpen).toBe(false);
    expect(await statusOf(server, `DELETE ${control}/faults`)).toBe(200);
    await vi.waitFor(async () => expect(await statusOf(server, `GET ${namespaces}`)).toBe(200), { timeout: 10_000 });
  });

  test("that kill it are answered even if the calling connection also has a watch", async () => {
    await using server = await start();
    const { session, authorization, ended } = await watchByHttp2(server);
    const call = session.request({
      ":method": "POST",
      ":path": `${control}/faults`,
      "content-type": "application/json",
      authorization,
    });
    call.end(JSON.stringify({ fault: "kill-service", target: "api-server" }));
    const [headers] = (await once(call, "response")) as [IncomingHttpHeaders];
    expect(headers[":status"]).toBe(201);
    expect(await ended).toMatch(/ERR_HTTP2_STREAM_ERROR|ECONNRESET|closed/);
  });

  test("that cannot be parsed are rejected with a sentence", async () => {
    await using server = await start();
    for (const [body, sentence] of unreadable) {
      const { status, body: answer } = await send(server, `POST ${control}/faults`, { body });
      expect(status).toBe(400);
      expect((JSON.parse(answer) as { message: string }).message).toContain(sentence);
    }
  });

  test("also select a resource by its name with its group", async () => {
    await using server = await start();
    await send(server, `POST ${control}/faults`, {
      body: { fault: "api-refuses", with: { resource: "deployments.apps" } },
    });
    expect(await statusOf(server, "GET /apis/apps/v1/deployments")).toBe(500);
    expect(await statusOf(server, "GET /apis/apps/v1/daemonsets")).toBe(200);
  });
});

test("a certificate that is signed after the clock was moved is valid outside, and expires by that clock", async () => {
  await using server = await startServedCluster(deps, program.readConfig(["--nodes=0", "--clock=steered"]));
  await server.nodesReady;
  const { client, steering } = server;
  const advance = (hours: number) => steering?.advance({ durationMs: hours * 3_600_000, giveClientsMs: 0 });
  await advance(360 * 24);
  const { request, key } = await createSigningRequest({ commonName: "late" });
  const signerName = "kubernetes.io/kube-apiserver-client";
  const spec = { request: Buffer.from(request).toString("base64"), signerName, expirationSeconds: 3600 };
  const name = "late";
  await client.create(certificateSigningRequests, { metadata: { name }, spec: { ...spec, usages: ["client auth"] } });
  const found = await client.get(certificateSigningRequests, { namespace: "", name });
  const conditions = [{ type: "Approved", status: "True", reason: "Test", message: "" }];
  const path = `/apis/certificates.k8s.io/v1/certificatesigningrequests/${name}/approval`;
  await client.call({ method: "PUT", path, body: { ...found, status: { ...found.status, conditions } } });
  const certificate = async () =>
    (await client.get(certificateSigningRequests, { namespace: "", name })).status?.certificate;
  // The process's thread pool signs, and the clock does not wait for it.
  await vi.waitFor(async () => expect(await certificate()).toBeDefined(), { timeout: 10_000 });
  const cert = Buffer.from((await certificate()) ?? "", "base64").toString();
  const isKnown = () => statusOf(server, "GET /apis", { headers: {}, cert, key });
  expect(await isKnown()).toBe(200);
  await advance(0.9);
  expect(await isKnown()).toBe(200);
  await advance(0.2);
  expect(await isKnown()).toBe(401);
  const { certificate: other, key: own } = server.identities.administrator;
  expect(await statusOf(server, "GET /apis", { headers: {}, cert: other, key: own })).toBe(200);
});

test("an advance waits for a certificate authority that needs real time, for example to load its library", async () => {
  const activity = new Activity({ real: systemClock, isAsleep: () => false });
  const own = await createAuthority(deps, "kubernetes");
  const { request } = await createSigningRequest({ commonName: "slow" });
  let load = () => {};
  const loaded = new Promise<void>((resolve) => (load = resolve));
  const slow = { ...own, read: (asked: string) => loaded.then(() => own.read(asked)) };
  const signing = signingBy(slow, { clock: systemClock, real: systemClock, counted: activity.counted });
  const settler = new Settler({ real: systemClock, activity }, { giveClientsMs: 0 });
  const order: string[] = [];
  const read = signing.read(request).then(() => order.push("read"));
  const settled = settler.settle().then(() => order.push("settled"));
  for (let turn = 0; turn < 20; turn++) await systemClock.nextTurn();
  load();
  await Promise.all([read, settled]);
  expect(order).toEqual(["read", "settled"]);
});
