import { once } from "node:events";
import { connect as connectHttp2, type ClientHttp2Session, constants } from "node:http2";
import { connect, type TLSSocket } from "node:tls";
import { silentLogger, silentMetrics } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { MemoryStore } from "@kintsugi/store/simulated";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiServer } from "../../factory.ts";
import { testGuard } from "../../testing/test-guard.ts";
import { TestCertificates } from "../../testing/test-certificates.ts";
import { bodyBytesMax } from "./body-limits.ts";
import { listenTls, type TlsServer } from "../../transport/tls-server.ts";

const certificates = new TestCertificates().authority();
certificates
  .issue("server", "/CN=api-server", { usage: "serverAuth", altNames: "IP:127.0.0.1" })
  .issue("admin", "/O=system:masters/CN=admin")
  .issue("nobody", "/CN=nobody");

const stop = new AbortController();
let listener: TlsServer;
let running: Promise<void>;

beforeAll(async () => {
  const store = new MemoryStore({ clock: systemClock });
  const deps = { clock: systemClock, log: silentLogger };
  const server = createApiServer({ ...deps, store, random: systemRandom, metrics: silentMetrics });
  running = server.run(stop.signal);
  await server.ready;
  const tls = {
    key: certificates.read("server.key"),
    cert: certificates.read("server.crt"),
    ca: certificates.read("ca.crt"),
  };
  listener = await listenTls(
    { ...deps, handle: server.handle, guard: testGuard() },
    { bindAddress: "127.0.0.1", port: 0, tls },
  );
});

afterAll(async () => {
  stop.abort();
  await listener[Symbol.asyncDispose]();
  await running;
  certificates[Symbol.dispose]();
});

function identityOf(client: string | undefined) {
  const ca = certificates.read("ca.crt");
  if (client === undefined) return { ca };
  return { ca, key: certificates.read(`${client}.key`), cert: certificates.read(`${client}.crt`) };
}

/** A connection of HTTP/1.1 that sends the given bytes one by one. */
async function openPlain(
  client: string | undefined,
): Promise<{ socket: TLSSocket; answers: (count: number) => Promise<string> }> {
  const socket = connect({
    host: "127.0.0.1",
    port: listener.port,
    ...identityOf(client),
    ALPNProtocols: ["http/1.1"],
  });
  await once(socket, "secureConnect");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const count = () => text.split("HTTP/1.1 ").length - 1;
  return {
    socket,
    answers: async (wanted) => {
      while (count() < wanted && !socket.readableEnded) await Promise.race([once(socket, "data"), once(socket, "end")]);
      return text;
    },
  };
}

function headerOf(path: string, length: number): string {
  return `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
}

const pods = "/api/v1/namespaces/default/pods";

describe("a body is only read from a caller who may send it", () => {
  test.each([
    [undefined, "401"],
    ["nobody", "403"],
  ])("%s is answered over HTTP/1.1 before the server reads any of the body", async (client, status) => {
    const { socket, answers } = await openPlain(client);
    socket.write(headerOf(pods, 1_000_000));
    expect(await answers(1)).toContain(`HTTP/1.1 ${status} `);
    socket.destroy();
  });

  test("and the connection then serves the next request", async () => {
    const { socket, answers } = await openPlain("nobody");
    socket.write(headerOf(pods, 1_000_000));
    expect(await answers(1)).toContain("HTTP/1.1 403 ");
    socket.write("x".repeat(1_000_000));
    socket.write("GET /version HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(await answers(2)).toContain("HTTP/1.1 200 ");
    socket.destroy();
  });

  test("a request with a body longer than the limit is answered, and its connection is closed", async () => {
    const { socket, answers } = await openPlain("admin");
    socket.write(headerOf(pods, bodyBytesMax + 1));
    const answer = await answers(1);
    expect(answer).toContain("HTTP/1.1 413 ");
    expect(answer.toLowerCase()).toContain("connection: close");
    socket.destroy();
  });

  test.each([
    [undefined, 401],
    ["nobody", 403],
  ])("%s is answered over HTTP/2 before the server reads any of the body", async (client, status) => {
    const session = openHttp2(client);
    const stream = session.request({ ":method": "POST", ":path": pods, "content-type": "application/json" });
    stream.on("error", () => {});
    const [headers] = (await once(stream, "response")) as [Record<string, number>];
    expect(headers[":status"]).toBe(status);
    stream.resume();
    await once(stream, "close");
    // The rest is not needed; upstream also ends the stream without an error.
    expect([constants.NGHTTP2_NO_ERROR, constants.NGHTTP2_CANCEL]).toContain(stream.rstCode);
    session.destroy();
  });

  test("over HTTP/2, a body without a type or a length is JSON, as kubectl create --raw sends it", async () => {
    const session = openHttp2("admin");
    const stream = session.request({ ":method": "POST", ":path": "/api/v1/namespaces" });
    stream.end(JSON.stringify({ metadata: { name: "raw" } }));
    const [headers] = (await once(stream, "response")) as [Record<string, number>];
    expect(headers[":status"]).toBe(201);
    session.destroy();
  });
});

function openHttp2(client: string | undefined): ClientHttp2Session {
  return connectHttp2(`https://127.0.0.1:${listener.port}`, identityOf(client)).on("error", () => {});
}
