import { execFile, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { connect, type PeerCertificate } from "node:tls";
import { promisify } from "node:util";
import { silentLogger, silentMetrics } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { followServerTls, readServerTls } from "@kintsugi/daemon";
import { LevelStore } from "@kintsugi/store";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createApiServer } from "../factory.ts";
import { TestCertificates } from "../testing/test-certificates.ts";
import { testGuard } from "../testing/test-guard.ts";
import { aPod } from "../testing/test-server.ts";
import { listenWith } from "../testing/tls-listener.ts";
import { bodyBytesMax } from "../http/bodies/body-limits.ts";
import { listenTls, type TlsServer } from "./tls-server.ts";

const certificates = new TestCertificates().authority();
certificates
  .issue("server", "/CN=api-server", { usage: "serverAuth", altNames: "IP:127.0.0.1" })
  .issue("admin", "/O=system:masters/CN=admin")
  .issue("nobody", "/CN=nobody")
  .issue("wrong-usage", "/O=system:masters/CN=admin", { usage: "serverAuth" })
  .authority("other")
  .issue("stranger", "/O=system:masters/CN=admin", { ca: "other" });

const stop = new AbortController();
const secondsLeftSeen: number[] = [];
let listener: TlsServer;
let store: LevelStore;
let running: Promise<void>;

beforeAll(async () => {
  store = await LevelStore.open({
    directory: certificates.path("data"),
    clock: systemClock,
    random: systemRandom,
    ballastBytes: 0,
  });
  const server = createApiServer({
    store,
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    metrics: silentMetrics,
  });
  running = server.run(stop.signal);
  await server.ready;
  listener = await listenTls(
    {
      handle: server.handle,
      clock: systemClock,
      log: silentLogger,
      certificateSeen: (secondsLeft) => secondsLeftSeen.push(secondsLeft),
      guard: testGuard(),
    },
    {
      bindAddress: "127.0.0.1",
      port: 0,
      tls: {
        key: certificates.read("server.key"),
        cert: certificates.read("server.crt"),
        ca: certificates.read("ca.crt"),
      },
    },
  );
});

afterAll(async () => {
  stop.abort();
  await listener[Symbol.asyncDispose]();
  await running;
  await store.close();
  certificates[Symbol.dispose]();
});

test("each request carries the remaining validity of its client's certificate", async () => {
  secondsLeftSeen.length = 0;
  await send("/api/v1/pods", undefined);
  await send("/api/v1/pods", "stranger");
  expect(secondsLeftSeen).toEqual([]);
  await send("/api/v1/pods", "admin");
  // Valid for two days.
  expect(secondsLeftSeen.map((seconds) => Math.round(seconds / 3600))).toEqual([48]);
});

test("an idle HTTP/1.1 connection is closed after its timeout, on every version of Node.js", async () => {
  const idleTimeoutMs = 500;
  const tls = {
    key: certificates.read("server.key"),
    cert: certificates.read("server.crt"),
    ca: certificates.read("ca.crt"),
  };
  const handle = () => Promise.resolve({ status: 200, headers: {}, body: Buffer.from("ok") });
  await using quick = await listenTls(
    { handle, clock: systemClock, log: silentLogger, guard: testGuard() },
    { bindAddress: "127.0.0.1", port: 0, tls, idleTimeoutMs },
  );
  const socket = connect({ host: "127.0.0.1", port: quick.port, ca: tls.ca, ALPNProtocols: ["http/1.1"] });
  const times: number[] = [];
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("data", (piece: Buffer) => {
    if (!piece.toString("latin1").includes("HTTP/1.1 200")) return;
    times.push(systemClock.monotonicMs());
    // The second answer shows that the connection is kept for the next request.
    if (times.length === 1) socket.write(request);
  });
  const request = "GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n";
  socket.write(request);
  await closed;
  expect(times).toHaveLength(2);
  expect(systemClock.monotonicMs() - (times[1] ?? 0)).toBeGreaterThan(0.9 * idleTimeoutMs);
});

test("a piece of an answer over HTTP/1.1 does not wait until the client has acknowledged the previous piece", async () => {
  async function* pieces() {
    yield Buffer.from("first");
    await systemClock.sleep(1);
    yield Buffer.from("second");
  }
  const handle = () => Promise.resolve({ status: 200, headers: {}, body: pieces() });
  await using server = await listenWith(certificates, handle);
  const socket = connect({
    host: "127.0.0.1",
    port: server.port,
    ca: certificates.read("ca.crt"),
    ALPNProtocols: ["http/1.1"],
  });
  socket.setNoDelay(true);
  const tookMs: number[] = [];
  for (let i = 0; i < 20; i++) {
    const startedMs = systemClock.monotonicMs();
    socket.write("GET /api/v1/pods HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let answer = "";
    const onData = (piece: Buffer) => (answer += piece.toString("latin1"));
    socket.on("data", onData);
    await vi.waitFor(() => expect(answer).toContain("second\r\n0\r\n"), { interval: 1, timeout: 10_000 });
    socket.off("data", onData);
    tookMs.push(systemClock.monotonicMs() - startedMs);
  }
  socket.destroy();
  // Linux confirms a small piece after 40 ms, unless it has an answer to send with it.
  expect(tookMs.toSorted((a, b) => a - b)[10]).toBeLessThan(30);
});

test("a request line may be as long as a long command", async () => {
  const command = "x".repeat(100_000);
  const answer = await send(`/api/v1/namespaces/default/pods/nope/exec?command=${command}`, "admin", {
    headers: { connection: "Upgrade", upgrade: "websocket" },
  });
  expect(answer).toMatchObject({ status: 404, text: expect.stringContaining('pods \\"nope\\" not found') });
});

test("a request for an unsupported upgrade is answered as an ordinary request", async () => {
  const upgrade = { connection: "Upgrade", upgrade: "websocket" };
  const pods = await send("/api/v1/pods", "admin", { headers: upgrade });
  expect(pods).toMatchObject({ status: 200, text: expect.stringContaining('"PodList"') });
  expect((await send("/api/v1/pods", undefined, { headers: upgrade })).status).toBe(401);
  const withBody = await send("/api/v1/pods", "admin", { method: "POST", body: "{}", headers: upgrade });
  expect(withBody).toMatchObject({ status: 400, text: expect.stringContaining("cannot have a body") });
});

test("impersonated groups are read one by one, over HTTP/1.1 and for streams as well", async () => {
  const headers = { "impersonate-user": "bob", "impersonate-group": ["a, b", "c"] };
  const review = { method: "POST", body: "{}", headers: { ...headers, "content-type": "application/json" } };
  const answer = await send("/apis/authentication.k8s.io/v1/selfsubjectreviews", "admin", review);
  expect(JSON.parse(answer.text)).toMatchObject({
    status: { userInfo: { username: "bob", groups: ["a, b", "c", "system:authenticated"] } },
  });
  const upgrade = { ...headers, connection: "Upgrade", upgrade: "websocket" };
  const exec = await send("/api/v1/namespaces/default/pods/nope/exec?command=sh", "admin", { headers: upgrade });
  expect(exec).toMatchObject({ status: 403, text: expect.stringContaining('User \\"bob\\" cannot get resource') });
  const nobody = await send("/api/v1/pods", "nobody", { headers });
  expect(nobody).toMatchObject({
    status: 403,
    text: expect.stringContaining('User \\"nobody\\" cannot impersonate resource \\"users\\"'),
  });
});

interface Sent {
  method?: string;
  body?: string | Buffer;
  headers?: Record<string, string | string[]>;
}

function send(path: string, client: string | undefined, sent: Sent = {}): Promise<{ status: number; text: string }> {
  const identity =
    client === undefined ? {} : { key: certificates.read(`${client}.key`), cert: certificates.read(`${client}.crt`) };
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host: "127.0.0.1",
        port: listener.port,
        path,
        method: sent.method ?? "GET",
        ca: certificates.read("ca.crt"),
        headers: sent.headers ?? {},
        agent: false,
        ...identity,
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    request.on("error", reject);
    request.end(sent.body);
  });
}

describe("client certificates", () => {
  test.each([
    [undefined, "/api/v1/pods", 401],
    ["stranger", "/api/v1/pods", 401],
    ["wrong-usage", "/api/v1/pods", 401],
    ["nobody", "/api/v1/pods", 403],
    ["admin", "/api/v1/pods", 200],
    [undefined, "/livez", 200],
    [undefined, "/readyz", 200],
    [undefined, "/version", 200],
    [undefined, "/metrics", 401],
    [undefined, "/apis", 401],
  ])("a request with the certificate of %s receives from %s the status %i", async (client, path, status) => {
    expect((await send(path, client)).status).toBe(status);
  });

  test("headers that claim another identity are ignored", async () => {
    const headers = { "X-Remote-User": "admin", "X-Remote-Group": "system:masters" };
    expect((await send("/api/v1/pods", "nobody", { headers })).status).toBe(403);
    expect((await send("/api/v1/pods", undefined, { headers })).status).toBe(401);
  });
});

test("certificates are reloaded while a watch continues: the server presents the new certificate and trusts the new authority's clients", async () => {
  for (const [from, to] of [
    ["server", "tls"],
    ["ca", "clients"],
  ])
    for (const end of ["crt", "key"])
      copyFileSync(certificates.path(`${from}.${end}`), certificates.path(`${to}.${end}`));
  const files = {
    certFile: certificates.path("tls.crt"),
    keyFile: certificates.path("tls.key"),
    clientCaFile: certificates.path("clients.crt"),
  };
  const deps = { clock: systemClock, log: silentLogger };
  const over = new AbortController();
  const initial = await readServerTls(files);
  const following = followServerTls(deps, { files, initial, servers: () => [listener] }).run(over.signal);
  const watch = "/api/v1/namespaces/default/configmaps?watch=true&timeoutSeconds=30&resourceVersion=0";
  const seen = openWatch(watch, "admin");
  expect((await send("/api/v1/pods", "stranger")).status).toBe(401);

  certificates.issue("renewed", "/CN=api-server", { usage: "serverAuth", altNames: "IP:127.0.0.1" });
  copyFileSync(certificates.path("renewed.key"), files.keyFile);
  copyFileSync(certificates.path("renewed.crt"), files.certFile);
  writeFileSync(files.clientCaFile, `${certificates.read("ca.crt")}${certificates.read("other.crt")}`);
  await vi.waitFor(async () => expect((await send("/api/v1/pods", "stranger")).status).toBe(200), { timeout: 5000 });
  expect((await shown()).raw).toEqual(new X509Certificate(certificates.read("renewed.crt")).raw);

  const made = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "made-later" } });
  const headers = { "content-type": "application/json" };
  await send("/api/v1/namespaces/default/configmaps", "stranger", { method: "POST", body: made, headers });
  await vi.waitFor(() => expect(seen.text).toContain("made-later"), { timeout: 5000 });
  seen.close();
  over.abort();
  await following;
});

/** The certificate that the server presents to a new connection. */
function shown(): Promise<PeerCertificate> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port: listener.port, ca: certificates.read("ca.crt") };
    const socket = connect(options, () => {
      resolve(socket.getPeerCertificate());
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

function openWatch(path: string, client: string): { text: string; close(): void } {
  const identity = { key: certificates.read(`${client}.key`), cert: certificates.read(`${client}.crt`) };
  const seen = { text: "", close: () => void request.destroy() };
  const options = { host: "127.0.0.1", port: listener.port, path, ca: certificates.read("ca.crt"), ...identity };
  const request = httpsRequest({ ...options, agent: false }, (response) => {
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => (seen.text += chunk));
    response.on("error", () => {});
  });
  request.on("error", () => {});
  request.end();
  return seen;
}

describe("an unreadable request is rejected with a Status", () => {
  const json = { "content-type": "application/json" };
  test.each([
    ["one byte too many", { body: Buffer.alloc(bodyBytesMax + 1, 0x20), headers: json }, 413, "RequestEntityTooLarge"],
    ["half of a document", { body: "{", headers: json }, 400, "BadRequest"],
    ["an unknown type", { body: "x", headers: { "content-type": "text/plain" } }, 415, "UnsupportedMediaType"],
    [
      "a type with a tab in it",
      { body: "{}", headers: { "content-type": "application/json\ta" } },
      415,
      "UnsupportedMediaType",
    ],
  ])("%s", async (_name, sent, status, reason) => {
    const answer = await send("/api/v1/namespaces/default/pods", "admin", { method: "POST", ...sent });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ kind: "Status", status: "Failure", reason });
  });
});

/** kubectl of several minor versions, as the Google Cloud SDK installs them. */
const found = spawnSync("sh", ["-c", "readlink -f $(command -v kubectl)"], { encoding: "utf8" }).stdout.trim();
const kubectls = ["1.27", "1.31", "1.33"].map((minor) => `${found}.${minor}`).filter((path) => existsSync(path));

describe.skipIf(kubectls.length === 0)("kubectl (skipped where it is not installed)", () => {
  const run = promisify(execFile);
  const kubectl = async (program: string, ...args: string[]): Promise<string> => {
    const kubeconfig = certificates.path("kubeconfig");
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        "current-context": "test",
        clusters: [
          {
            name: "test",
            cluster: {
              server: `https://127.0.0.1:${listener.port}`,
              "certificate-authority": certificates.path("ca.crt"),
            },
          },
        ],
        users: [
          {
            name: "test",
            user: {
              "client-certificate": certificates.path("admin.crt"),
              "client-key": certificates.path("admin.key"),
            },
          },
        ],
        contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
      }),
    );
    const env = { HOME: certificates.directory };
    return (await run(program, ["--kubeconfig", kubeconfig, ...args], { env, timeout: 30_000 })).stdout;
  };

  test.each(kubectls)("%s works in ordinary use", { timeout: 60_000 }, async (program) => {
    const file = certificates.path("objects.yaml");
    const template = {
      metadata: { labels: { app: "rs" } },
      spec: { containers: [{ name: "main", image: "busybox:1.36" }] },
    };
    const replicaSet = {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: "rs" },
      spec: { replicas: 1, selector: { matchLabels: { app: "rs" } }, template },
    };
    const items = [aPod("web", { labels: { app: "web" } }), replicaSet];
    writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    expect(await kubectl(program, "apply", "-f", file)).toBe("pod/web created\nreplicaset.apps/rs created\n");
    expect(await kubectl(program, "apply", "-f", file)).toBe("pod/web unchanged\nreplicaset.apps/rs unchanged\n");
    expect(await kubectl(program, "get", "pods")).toMatch(/NAME +READY +STATUS +RESTARTS +AGE\nweb +0\/1 +Pending +0 /);
    expect(await kubectl(program, "label", "pod", "web", "tier=front")).toBe("pod/web labeled\n");
    expect(await kubectl(program, "get", "pod", "web", "-o", "jsonpath={.metadata.labels}")).toBe(
      '{"app":"web","tier":"front"}',
    );
    expect(await kubectl(program, "describe", "pod", "web")).toMatch(/Name: +web/);
    expect(await kubectl(program, "scale", "rs/rs", "--replicas=3")).toBe("replicaset.apps/rs scaled\n");
    expect(await kubectl(program, "get", "rs", "rs", "-o", "jsonpath={.spec.replicas}")).toBe("3");
    expect(await kubectl(program, "create", "configmap", "c", "--from-literal=a=b")).toBe("configmap/c created\n");
    expect(await kubectl(program, "auth", "can-i", "create", "pods")).toBe("yes\n");
    const rules = (await kubectl(program, "auth", "can-i", "--list")).split("\n");
    expect(rules.filter((row) => row.startsWith("*.*"))).toHaveLength(1);
    expect(rules.filter((row) => row.includes(" [*] "))).toHaveLength(1);
    expect(await kubectl(program, "explain", "pod.spec.containers.image")).toMatch(/FIELD: +image/);
    const status = JSON.stringify({ status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } });
    await kubectl(program, "patch", "pod", "web", "--subresource=status", "--type=merge", "-p", status);
    expect(await kubectl(program, "wait", "--for=condition=Ready", "pod/web", "--timeout=5s")).toContain(
      "condition met",
    );
    expect(await kubectl(program, "delete", "pod/web", "rs/rs", "configmap/c")).toContain('pod "web" deleted');
    await expect(kubectl(program, "get", "pod", "web")).rejects.toThrow('pods "web" not found');
  });
});
