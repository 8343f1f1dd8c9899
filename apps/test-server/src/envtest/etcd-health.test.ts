import { type AddressInfo, createServer } from "node:net";
import { once } from "node:events";
import { expect, test } from "vitest";
import { readEtcdFlags, serveHealth } from "./etcd-health.ts";

test("etcd answers its health check, and nothing else, until it is stopped", async () => {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  const stop = new AbortController();
  const done = serveHealth({ host: "127.0.0.1", port }, stop.signal);
  const health = await fetch(`http://127.0.0.1:${port}/health`);
  expect([health.status, await health.json()]).toEqual([200, { health: "true", reason: "" }]);
  const other = await fetch(`http://127.0.0.1:${port}/v3/kv/range`, { method: "POST" });
  expect([other.status, await other.text()]).toEqual([501, expect.stringContaining("only answers /health")]);
  stop.abort();
  await done;
});

test("envtest's flags give the address, and the others are passed over", () => {
  const flags = ["--advertise-client-urls=http://127.0.0.1:1", "--listen-client-urls=http://127.0.0.1:2", "--unsafe-no-fsync=true"];
  expect(readEtcdFlags(flags).addresses).toEqual([{ host: "127.0.0.1", port: 2 }]);
  expect(() => readEtcdFlags(["--listen-client-urls=unix://x"])).toThrow(/must be a URL with http:/);
});
