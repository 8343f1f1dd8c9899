import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { silentLogger } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import { afterAll, expect, test, vi } from "vitest";
import { createHealthServer } from "../health-server.ts";
import { createMetrics } from "../metrics/metrics.ts";
import { readServerTls } from "./server-tls.ts";

const directory = mkdtempSync(join(tmpdir(), "kintsugi-server-tls-"));
afterAll(() => rmSync(directory, { recursive: true }));
const path = (name: string) => join(directory, name);

/** A self-signed certificate: NAME.crt and NAME.key. */
function selfSigned(name: string): void {
  execFileSync(
    "openssl",
    // prettier-ignore
    ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj", `/CN=${name}`,
      "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", path(`${name}.key`), "-out", path(`${name}.crt`)],
    { stdio: "ignore" },
  );
}
for (const name of ["old", "new", "old-client", "new-client"]) selfSigned(name);

/** Replaces a file as programs that write whole files do. */
function put(from: string, to: string): void {
  copyFileSync(path(from), path(`${to}.part`));
  renameSync(path(`${to}.part`), path(to));
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

interface Answer {
  status: number;
  shown: string;
  socket: TLSSocket;
}

function ask(port: number, file: string, more: { client?: string; agent?: Agent } = {}): Promise<Answer> {
  const { client, agent } = more;
  const identity =
    client === undefined ? {} : { cert: readFileSync(path(`${client}.crt`)), key: readFileSync(path(`${client}.key`)) };
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port,
      path: file,
      rejectUnauthorized: false,
      agent: agent ?? false,
      ...identity,
    };
    const asked = request(options, (response) => {
      const socket = response.socket as TLSSocket;
      const shown = socket.getPeerCertificate().subject.CN as string;
      response.resume().on("end", () => resolve({ status: response.statusCode ?? 0, shown, socket }));
    });
    asked.on("error", reject);
    asked.end();
  });
}

test("a server presents its new certificate and trusts the new authority's clients without closing connections", async () => {
  put("old.crt", "tls.crt");
  put("old.key", "tls.key");
  put("old-client.crt", "ca.crt");
  const port = await freePort();
  const stop = new AbortController();
  const running = createHealthServer(
    { clock: systemClock, log: silentLogger, metrics: createMetrics(), checks: {} },
    {
      bindAddress: "127.0.0.1",
      port,
      certFile: path("tls.crt"),
      keyFile: path("tls.key"),
      clientCaFile: path("ca.crt"),
    },
  ).run(stop.signal);
  const connected = new Agent({ keepAlive: true, maxSockets: 1 });
  const before = await vi.waitFor(() => ask(port, "/healthz", { agent: connected }), { timeout: 5000 });
  expect([before.status, before.shown]).toEqual([200, "old"]);
  expect((await ask(port, "/metrics", { client: "old-client" })).status).toBe(200);
  expect((await ask(port, "/metrics", { client: "new-client" })).status).toBe(401);

  // The key does not match the certificate between these two steps, and the server continues with
  // the old pair.
  put("new.crt", "tls.crt");
  await systemClock.sleep(300);
  expect((await ask(port, "/healthz")).shown).toBe("old");
  put("new.key", "tls.key");
  put("new-client.crt", "ca.crt");
  await vi.waitFor(async () => expect((await ask(port, "/healthz")).shown).toBe("new"), { timeout: 5000 });
  await vi.waitFor(async () => expect((await ask(port, "/metrics", { client: "new-client" })).status).toBe(200), {
    timeout: 5000,
  });
  expect((await ask(port, "/metrics", { client: "old-client" })).status).toBe(401);
  const after = await ask(port, "/healthz", { agent: connected });
  expect(after.status).toBe(200);
  expect(after.socket).toBe(before.socket);
  connected.destroy();
  stop.abort();
  await running;
});

test("the result of a health check is also a metric, under upstream's names", async () => {
  const port = await freePort();
  const stop = new AbortController();
  const metrics = createMetrics();
  let holds = true;
  const informers = () => {
    if (!holds) throw new Error("not yet");
  };
  const running = createHealthServer(
    { clock: systemClock, log: silentLogger, metrics, checks: { ping: () => {}, informers } },
    {
      bindAddress: "127.0.0.1",
      port,
      certFile: path("old.crt"),
      keyFile: path("old.key"),
      clientCaFile: path("old.crt"),
    },
  ).run(stop.signal);
  await vi.waitFor(() => ask(port, "/healthz"), { timeout: 5000 });
  holds = false;
  expect((await ask(port, "/readyz")).status).toBe(500);
  const text = await metrics.exposition();
  for (const line of [
    'kubernetes_healthcheck{name="informers",type="healthz"} 1',
    'kubernetes_healthcheck{name="informers",type="readyz"} 0',
    'kubernetes_healthcheck{name="ping",type="readyz"} 1',
    'kubernetes_healthchecks_total{name="informers",type="readyz",status="error"} 1',
  ])
    expect(text).toContain(`${line}\n`);
  stop.abort();
  await running;
});

test("invalid files are named with the reason", async () => {
  writeFileSync(path("text"), "no PEM");
  const files = { certFile: path("old.crt"), keyFile: path("old.key"), clientCaFile: path("old.crt") };
  expect(await readServerTls(files)).toHaveProperty("cert");
  await expect(readServerTls({ ...files, certFile: path("nowhere") })).rejects.toThrow(
    /^the certificate cannot be read: ENOENT.*nowhere/,
  );
  await expect(readServerTls({ ...files, certFile: path("text") })).rejects.toThrow("text is not a certificate");
  await expect(readServerTls({ ...files, clientCaFile: path("text") })).rejects.toThrow("text is not a certificate");
  await expect(readServerTls({ ...files, keyFile: path("new.key") })).rejects.toThrow(
    /new\.key is not the key of .*old\.crt/,
  );
});
