import { connect as connectHttp2, constants, type ClientHttp2Session } from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { silentLogger } from "@kintsugi/api";
import { type Clock, systemClock } from "@kintsugi/clock";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { authenticate } from "../../authentication/authenticate.ts";
import { TestCertificates } from "../../testing/test-certificates.ts";
import { testGuard } from "../../testing/test-guard.ts";
import type { ApiRequest, ApiResponse } from "../../http/api-request.ts";
import { errorResponse, toApiError } from "../../http/status.ts";
import { listenTls, type TlsServer } from "../tls-server.ts";
import type { ConnectionLimits } from "./connection-limits.ts";

const certificates = new TestCertificates().authority();
certificates
  .issue("server", "/CN=api-server", { usage: "serverAuth", altNames: "IP:127.0.0.1" })
  .issue("admin", "/O=system:masters/CN=admin");
const identity = { cert: certificates.read("admin.crt"), key: certificates.read("admin.key") };
const ca = certificates.read("ca.crt");

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(() => certificates[Symbol.dispose]());

/** Answers every user that is authenticated; the token "good" belongs to Bob. */
async function handle(request: ApiRequest): Promise<ApiResponse> {
  try {
    const tokens = { authenticate: (token: string) => (token === "good" ? { name: "bob", groups: [] } : undefined) };
    request.onCaller?.(authenticate(request, request.path, tokens));
    await request.readBody?.(() => {});
    return { status: 200, headers: {}, body: Buffer.from("ok") };
  } catch (error) {
    const refusal = toApiError(error);
    if (refusal === undefined) throw error;
    return errorResponse(refusal);
  }
}

async function serve(limits: Partial<ConnectionLimits>, clock: Clock = systemClock): Promise<TlsServer> {
  const server = await listenTls(
    { handle, clock, log: silentLogger, guard: testGuard(limits) },
    {
      bindAddress: "127.0.0.1",
      port: 0,
      tls: { key: certificates.read("server.key"), cert: certificates.read("server.crt"), ca },
    },
  );
  cleanups.push(() => server[Symbol.asyncDispose]());
  return server;
}

function silentSocket({ port }: TlsServer): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp(port, "127.0.0.1", () => resolve(socket));
    socket.once("error", reject);
    socket.on("error", () => {});
    cleanups.push(() => socket.destroy());
  });
}

/** An HTTP/1.1 client that sends fifty requests at the same time. */
function manyRequests({ port }: TlsServer): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: "127.0.0.1", port, ca }, () => {
      socket.write("GET /livez HTTP/1.1\r\nhost: a\r\n\r\n".repeat(50));
      resolve(socket.resume());
    });
    socket.once("error", reject);
    socket.on("error", () => {});
    cleanups.push(() => socket.destroy());
  });
}

/** A TLS client whose answer to the server's part of the handshake never arrives. */
async function unfinishedHandshake(server: TlsServer): Promise<Socket> {
  const socket = await silentSocket(server);
  const client = connectTls({ socket: new FirstFlightOnly(socket), ca });
  client.on("error", () => {});
  cleanups.push(() => client.destroy());
  return socket;
}

/** Forwards only the first piece that is written to it. */
class FirstFlightOnly extends Duplex {
  readonly #socket: Socket;
  #written = 0;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on("data", (bytes) => this.push(bytes));
    socket.on("close", () => this.push(null));
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#written++ === 0) this.#socket.write(bytes);
    done();
  }
}

function openSession({ port }: TlsServer, options: Partial<typeof identity> = {}): ClientHttp2Session {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ca, ...options });
  session.on("error", () => {});
  cleanups.push(() => session.destroy());
  return session;
}

function get(session: ClientHttp2Session, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":path": "/api", ...headers });
    let status = 0;
    stream.on("response", (answer) => (status = Number(answer[":status"])));
    stream.on("error", reject);
    stream.on("close", () => (status === 0 ? reject(new Error("no answer")) : resolve(status)));
    stream.resume();
    stream.end();
  });
}

const closed = (socket: { closed: boolean }) => vi.waitFor(() => expect(socket.closed).toBe(true), { timeout: 5_000 });

test("idle connections beyond an address's share close the oldest of them, and authenticated clients stay connected", async () => {
  const server = await serve({ unknownPerAddressMax: 5 });
  const before = openSession(server, identity);
  expect(await get(before)).toBe(200);
  const silent: Socket[] = [];
  for (let i = 0; i < 20; i++) silent.push(await silentSocket(server));
  for (const socket of silent.slice(0, 15)) await closed(socket);
  expect(silent.slice(15).filter((socket) => socket.closed)).toEqual([]);
  expect(await get(before)).toBe(200);
  expect(await get(openSession(server, identity))).toBe(200);
});

test("a connection is closed if its handshake or its client's authentication takes too long", async () => {
  const server = await serve({ handshakeTimeoutMs: 200, unknownTimeoutMs: 700 });
  const known = openSession(server, identity);
  const byToken = openSession(server);
  expect(await get(byToken, { authorization: "Bearer good" })).toBe(200);
  const anonymous = openSession(server);
  expect(await get(anonymous, { ":path": "/livez" })).toBe(200);
  const half = await silentSocket(server);
  // The head of a ClientHello of 512 bytes, and half of it.
  half.write(Buffer.concat([Buffer.from("16030102000100", "hex"), Buffer.alloc(200)]));
  await Promise.all([closed(await silentSocket(server)), closed(half), closed(await unfinishedHandshake(server))]);
  expect(anonymous.closed).toBe(false);
  await closed(anonymous);
  expect([await get(known), await get(byToken, { authorization: "Bearer good" })]).toEqual([200, 200]);
});

test("bytes from unauthenticated clients are limited; bytes with a token in time are not", async () => {
  const server = await serve({ unknownBytesMax: 256 * 1024 });
  const piece = Buffer.alloc(64 * 1024);
  const upload = (session: ClientHttp2Session, headers: Record<string, string>) => {
    const stream = session.request({
      ":path": "/api",
      ":method": "POST",
      "content-type": "application/json",
      ...headers,
    });
    stream.on("error", () => {});
    const more = () => {
      while (!stream.destroyed && stream.write(piece));
    };
    stream.on("drain", more);
    more();
    return stream;
  };
  const stranger = openSession(server);
  for (let i = 0; i < 20; i++) upload(stranger, {});
  await closed(stranger);
  const known = openSession(server);
  expect(await get(known, { authorization: "Bearer good" })).toBe(200);
  const { length } = await new Promise<Buffer>((resolve) => {
    const stream = known.request({ ":path": "/api", ":method": "POST", "content-type": "application/json" });
    stream.on("data", resolve);
    stream.end(Buffer.alloc(1024 * 1024));
  });
  expect(length).toBeGreaterThan(0);
});

test("a body that is incomplete after a minute ends its request and nothing else", async () => {
  const clock = new VirtualClock();
  const session = openSession(await serve({}, clock), identity);
  const slow = session.request({ ":path": "/api", ":method": "POST", "content-type": "application/json" });
  const ended = new Promise((resolve) => slow.on("close", () => resolve(slow.rstCode)));
  slow.write("{");
  expect(await get(session)).toBe(200);
  await clock.advance(60_000);
  expect(await ended).toBe(constants.NGHTTP2_CANCEL);
  expect(await get(session)).toBe(200);
});

test("a user with more connections than its share loses the newest connection", async () => {
  const server = await serve({ perUserMax: 2 });
  const sessions = [openSession(server, identity), openSession(server, identity)];
  for (const session of sessions) expect(await get(session)).toBe(200);
  const third = openSession(server, identity);
  await closed(third);
  for (const session of sessions) expect(await get(session)).toBe(200);
});

test("a client that receives 401 must reconnect, and an authenticated client does not have to reconnect", async () => {
  const server = await serve({});
  const stranger = openSession(server);
  expect(await get(stranger)).toBe(401);
  await closed(stranger);
  const known = openSession(server);
  expect(await get(known, { authorization: "Bearer good" })).toBe(200);
  expect(await get(known, { authorization: "Bearer bad" })).toBe(401);
  expect(await get(known, { authorization: "Bearer good" })).toBe(200);
  const overHttp1 = await new Promise<string>((resolve, reject) => {
    const socket = connectTls({ host: "127.0.0.1", port: server.port, ca }, () => {
      let text = "";
      socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
      socket.on("end", () => resolve(text));
      socket.write("GET /api HTTP/1.1\r\nhost: a\r\n\r\n");
    });
    socket.on("error", reject);
  });
  expect(overHttp1).toMatch(/^HTTP\/1.1 401 /);
  expect(overHttp1.toLowerCase()).toContain("\r\nconnection: close\r\n");
});

test("many concurrent resets end an unauthenticated client's connections but not an authenticated client's connections", async () => {
  const server = await serve({ unknownRequestsMax: 20 });
  const [stranger, known] = [openSession(server), openSession(server, identity)];
  for (const session of [stranger, known]) {
    for (let i = 0; i < 50; i++) {
      const stream = session.request({ ":path": "/livez" });
      stream.on("error", () => {});
      stream.close(constants.NGHTTP2_CANCEL);
    }
  }
  await closed(stranger);
  expect(await get(known)).toBe(200);
  const overHttp1 = await manyRequests(server);
  await closed(overHttp1);
});

test.each(["ping", "settings"] as const)("a flood of %s frames ends its session", async (frame) => {
  const server = await serve({});
  const session = openSession(server, identity);
  expect(await get(session)).toBe(200);
  const flood = async () => {
    for (let i = 0; i < 2_000 && !session.destroyed; i++) {
      if (frame === "ping") session.ping(() => {});
      else session.settings({ initialWindowSize: 65_535 + (i % 2) });
      await systemClock.nextTurn();
    }
  };
  await flood().catch(() => {});
  await closed(session);
});
