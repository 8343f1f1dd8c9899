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
  await server.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const workers = () => childProcesses(server.pid());

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
  process.kill(first, "SIGKILL");
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

test("the workers end with their server, even if it is killed", async () => {
  const ended = workers();
  await server.kill();
  await eventually("the workers' end", async () => (ended.some(isRunning) ? undefined : true));
  await server.start();
  expect(workers()).toHaveLength(2);
});
