import { type IncomingMessage, request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { readEtcdFlags, serveHealth } from "./etcd-health.ts";

test("etcd answers only its health check until it is stopped", async () => {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  const stop = new AbortController();
  const done = serveHealth({ host: "127.0.0.1", port }, stop.signal);
  expect(await ask(port, "GET", "/health")).toEqual([200, '{"health":"true","reason":""}']);
  expect(await ask(port, "POST", "/v3/kv/range")).toEqual([501, expect.stringContaining("only answers /health")]);
  stop.abort();
  await done;
});

test("envtest's flags set the address, and other flags are ignored", () => {
  const flags = [
    "--advertise-client-urls=http://127.0.0.1:1",
    "--listen-client-urls=http://127.0.0.1:2",
    "--unsafe-no-fsync=true",
  ];
  expect(readEtcdFlags(flags).addresses).toEqual([{ host: "127.0.0.1", port: 2 }]);
  expect(() => readEtcdFlags(["--listen-client-urls=unix://x"])).toThrow(/must be a URL with http:/);
});

async function ask(port: number, method: string, path: string): Promise<[status: number | undefined, body: string]> {
  const asked = request({ host: "127.0.0.1", port, method, path }).end();
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  return [answer.statusCode, await text(answer)];
}
