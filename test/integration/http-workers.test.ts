import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { configMaps, pods } from "@kintsugi/api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openConnection, requestBytes } from "../bench/api/http-connection.ts";
import { childProcesses, isRunning } from "../support/node/child-processes.ts";
import { eventually, runProgram } from "../support/run-program.ts";
import { type ApiServerProcess, prepareApiServer } from "../support/servers/api-server-process.ts";

// An API server whose TLS and HTTP are the work of other processes (--http-workers).

let server: ApiServerProcess;
beforeAll(async () => {
  server = await prepareApiServer({ args: ["--http-workers=2"] });
  await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const log = () => readFileSync(join(server.dataDirectory, "../api-server.log"), "utf8");
const workers = () => childProcesses(server.pid());

/** Waits for both workers, because a server whose worker ends before it listens does not start. */
async function startServer(): Promise<void> {
  await server.start();
  const startedWorkers = () => (log().split("store opened").at(-1)?.split('"msg":"serving"').length ?? 1) - 1;
  await eventually("both workers", async () => (startedWorkers() === 2 ? true : undefined));
}

/** A missing process id would be 0, which means every process of this test. */
function signal(pid: number | undefined, name: NodeJS.Signals): void {
  assert(pid !== undefined && pid > 0, "the process does not run");
  process.kill(pid, name);
}

async function metric(name: string): Promise<string[]> {
  const connection = await openConnection(server.access);
  try {
    const answer = await connection.read(requestBytes(server.access, "GET", "/metrics"));
    return answer.split("\n").filter((line) => line.startsWith(name));
  } finally {
    connection.close();
  }
}

test("objects are written, read and watched through the workers", async () => {
  expect(workers()).toHaveLength(2);
  const { client } = server;
  const names = Array.from({ length: 20 }, (_, i) => `a-${i}`);
  const { resourceVersion } = await client.list(configMaps, { namespace: "default" });
  const watched = (async () => {
    const seen: string[] = [];
    for await (const event of client.watch(configMaps, {
      namespace: "default",
      resourceVersion,
      signal: AbortSignal.timeout(20_000),
    })) {
      if (event.type === "ADDED") seen.push(event.object.metadata.name ?? "");
      if (seen.length === names.length) return seen;
    }
    return seen;
  })();
  await Promise.all(
    names.map((name) =>
      client.create(configMaps, { metadata: { name, namespace: "default" }, data: { a: "b" } } as never),
    ),
  );
  expect((await watched).toSorted()).toEqual(names.toSorted());
  // A body above the length that workers read before they pass the request on.
  const large = { metadata: { name: "large", namespace: "default" }, data: { a: "x".repeat(900_000) } };
  await client.create(configMaps, large as never);
  expect((await client.get(configMaps, { namespace: "default", name: "large" })).data?.["a"]).toHaveLength(900_000);
});

test("the workers' connections and certificates are in the server's metrics", async () => {
  await server.client.list(pods);
  const known = async () => Number((await metric('kintsugi_apiserver_connections{client="known"}'))[0]?.split(" ")[1]);
  await expect.poll(known, { timeout: 10_000 }).toBeGreaterThan(0);
  const certificates = () => metric("apiserver_client_certificate_expiration_seconds_count");
  await expect.poll(certificates, { timeout: 10_000 }).not.toEqual([expect.stringMatching(/ 0$/)]);
});

test("a killed worker is replaced, and the other worker serves in the meantime", async () => {
  const [first = 0, second] = workers();
  signal(first, "SIGKILL");
  await eventually("the first worker's end", async () => (isRunning(first) ? undefined : true));
  await server.client.list(pods);
  await eventually("a new worker", async () =>
    workers().length === 2 && !workers().includes(first) ? true : undefined,
  );
  expect(workers()).toContain(second);
  await server.client.list(pods);
});

test("a second server on the same port names the port and exits", async () => {
  const port = new URL(server.access.server).port;
  const program = new URL("../../apps/api-server/bundle/main.mjs", import.meta.url).pathname;
  const { pki } = server;
  const { code, stderr } = await runProgram(process.execPath, [
    program,
    `--data-dir=${server.dataDirectory}-second`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--tls-cert-file=${pki}/api-server.crt`,
    `--tls-private-key-file=${pki}/api-server.key`,
    `--client-ca-file=${pki}/ca.crt`,
    "--http-workers=2",
  ]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(port) });
  expect(stderr).toContain("choose another port with --secure-port");
});

test("the workers end with their server, even if it is killed, and log no line for each request", async () => {
  const ended = workers();
  const openWatches = async () => Number((await metric("apiserver_registered_watchers"))[0]?.split(" ")[1]);
  const before = await openWatches();
  const watching = new AbortController();
  const watchCount = 20;
  const watches = Promise.allSettled(
    Array.from({ length: watchCount }, async () => {
      const events = server.client.watch(configMaps, { resourceVersion: "0", signal: watching.signal });
      for await (const _ of events);
    }),
  );
  await eventually("the watches", async () => (await openWatches()) >= before + watchCount);
  const logged = log().length;
  await server.kill();
  await eventually("the workers' end", async () => (ended.some(isRunning) ? undefined : true));
  watching.abort();
  await watches;
  expect(log().slice(logged)).toBe("");
  await startServer();
  expect(workers()).toHaveLength(2);
});

test("a connection that a stopped worker has not accepted is served by another worker", async () => {
  const [first] = workers();
  signal(first, "SIGSTOP");
  try {
    const statuses = Array.from({ length: 8 }, async () => {
      const connection = await openConnection(server.access);
      try {
        return await connection.send(requestBytes(server.access, "GET", "/api/v1/pods"));
      } finally {
        connection.close();
      }
    });
    const late = sleep(10_000, "late", { ref: false });
    expect(await Promise.race([Promise.all(statuses), late])).toEqual(statuses.map(() => 200));
  } finally {
    signal(first, "SIGCONT");
  }
});

test("connections that no worker accepts use no files of the owner", async () => {
  const files = () => readdirSync(`/proc/${server.pid()}/fd`).length;
  const before = files();
  const stopped = workers();
  for (const worker of stopped) signal(worker, "SIGSTOP");
  const port = Number(new URL(server.access.server).port);
  const sockets = Array.from({ length: 50 }, () => connect(port, "127.0.0.1").on("error", () => {}));
  try {
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    await sleep(500);
    expect(files() - before).toBeLessThan(5);
  } finally {
    for (const socket of sockets) socket.destroy();
    for (const worker of stopped) signal(worker, "SIGCONT");
  }
});

test("a worker that is replaced while the certificate's files are unusable has the certificate still in use", async () => {
  const keyFile = join(server.pki, "api-server.key");
  const key = readFileSync(keyFile);
  const [first = 0] = workers();
  writeFileSync(keyFile, "half a key");
  try {
    signal(first, "SIGKILL");
    const started = () => log().split("the server's previous files are used").length > 1;
    await eventually("the new worker's message", async () => (started() ? true : undefined));
    const serving = () => workers().length === 2 && !workers().includes(first);
    await eventually("a new worker", async () => (serving() ? true : undefined));
    await sleep(2_000);
    expect(log()).not.toContain('"ending":"exit code');
  } finally {
    writeFileSync(keyFile, key);
  }
  await server.client.list(pods);
});

test("an owner that cannot start a worker tries again", async () => {
  const [first = 0, second = 0] = workers();
  const openFilesMax = (files: string) =>
    execFileSync("prlimit", [`--pid=${server.pid()}`, `--nofile=${files}:`]).toString();
  const before = execFileSync("prlimit", [`--pid=${server.pid()}`, "--nofile", "--output=SOFT", "--noheadings"]);
  // No process can be started without a file descriptor for its standard input.
  openFilesMax(String(readdirSync(`/proc/${server.pid()}/fd`).length - 4));
  signal(first, "SIGKILL");
  await eventually("the first worker's end", async () => (isRunning(first) ? undefined : true));
  await sleep(2_500);
  expect([isRunning(server.pid()), workers()]).toEqual([true, [second]]);
  openFilesMax(before.toString().trim());
  await eventually("a new worker", async () => (workers().length === 2 ? true : undefined));
  await server.client.list(pods);
});

test("a server ends although one of its workers is stopped", async () => {
  const [first = 0] = workers();
  signal(first, "SIGSTOP");
  signal(server.pid(), "SIGTERM");
  await eventually("the server's end", async () => (isRunning(server.pid()) ? undefined : true), 10_000);
  expect(isRunning(first)).toBe(false);
});

test("a signal to every process of the server leaves the workers serving until the delay has passed", async () => {
  await using leaving = await prepareApiServer({ args: ["--http-workers=2", "--shutdown-delay-duration=3s"] });
  await leaving.start();
  const log = join(leaving.dataDirectory, "../api-server.log");
  const serving = () => readFileSync(log, "utf8").split('"msg":"serving"').length - 1;
  await eventually("both workers", async () => serving() === 2);
  const before = childProcesses(leaving.pid());
  const watching = await openConnection(leaving.access);
  const watch = watching.download(requestBytes(leaving.access, "GET", "/api/v1/pods?watch=true"));
  // The terminal and systemd send a signal to all processes.
  for (const pid of [leaving.pid(), ...before]) signal(pid, "SIGTERM");
  await sleep(1_000);
  await leaving.client.list(pods);
  const ready = leaving.client.call({ method: "GET", path: "/readyz" }).then(
    () => "ready",
    () => "leaving",
  );
  expect(await ready).toBe("leaving");
  expect(childProcesses(leaving.pid())).toEqual(before);
  await eventually("the server's end", async () => (isRunning(leaving.pid()) ? undefined : true), 15_000);
  expect(before.filter(isRunning)).toEqual([]);
  // The watch has ended, and is not cut.
  await expect(watch).resolves.toBeGreaterThan(0);
});
