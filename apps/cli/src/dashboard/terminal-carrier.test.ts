import { once } from "node:events";
import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { createTerminalCarrier, type TerminalCarrier } from "./terminal-carrier.ts";

const servers: Server[] = [];
const sockets: WebSocket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A server that carries every upgrade to the given port. */
async function aServer(port: number): Promise<{ port: number; carrier: TerminalCarrier }> {
  const carrier = createTerminalCarrier({
    request: (path, headers) => httpRequest({ host: "127.0.0.1", port, path, headers, agent: false }),
  });
  const server = createServer();
  server.on("upgrade", (request, socket, head) => void carrier.carry({ request, socket, head }));
  return { port: await listening(server), carrier };
}

/** Opens a terminal as a browser does, and returns the received messages until it is closed. */
function openTerminal(port: number) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/exec?command=sh`, "v5.channel.k8s.io");
  sockets.push(socket);
  socket.binaryType = "arraybuffer";
  const received: string[] = [];
  socket.onmessage = ({ data }) => received.push(Buffer.from(data as ArrayBuffer).toString());
  // A connection that is cut off before its handshake reports an error and is closed.
  socket.onerror = () => {};
  const closed = new Promise<string[]>((resolve) => (socket.onclose = () => resolve(received)));
  return { socket, closed };
}

test.each([
  [JSON.stringify({ kind: "Status", message: "pods is forbidden" }), "pods is forbidden"],
  ["container not found", "container not found"],
  ["", "the API server answered 403"],
])("returns the refusal %j to the page", async (body, message) => {
  const api = await listening(createServer((_, response) => response.writeHead(403).end(body)));
  const { port } = await aServer(api);
  const [outcome = ""] = await openTerminal(port).closed;
  expect(outcome[0]).toBe("\x03");
  expect(JSON.parse(outcome.slice(1))).toMatchObject({ status: "Failure", message });
});

test("reports a missing API server", async () => {
  const { port } = await aServer(1);
  const [outcome = ""] = await openTerminal(port).closed;
  expect(JSON.parse(outcome.slice(1))).toMatchObject({ message: expect.stringContaining("cannot be reached") });
});

test("carries sixteen concurrent terminals, rejects more, and ends them all", async () => {
  const seen: Record<string, unknown>[] = [];
  const server = createServer();
  // The server does not answer; terminals that are being opened count as well.
  server.on("upgrade", ({ headers }) => seen.push(headers));
  const { port, carrier } = await aServer(await listening(server));
  const opened = Array.from({ length: 16 }, () => openTerminal(port));
  await expect.poll(() => seen.length).toBe(16);
  expect(Object.keys(seen[0] ?? {}).toSorted()).toEqual([
    "connection",
    "host",
    "sec-websocket-key",
    "sec-websocket-protocol",
    "sec-websocket-version",
    "upgrade",
  ]);
  const [outcome = ""] = await openTerminal(port).closed;
  expect(JSON.parse(outcome.slice(1))).toMatchObject({ message: "16 terminals are open: close one of them" });
  carrier.close();
  await Promise.all(opened.map(({ closed }) => closed));
});
