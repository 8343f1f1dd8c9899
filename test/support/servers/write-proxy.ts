import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { Agent, createServer, request as httpsRequest } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Identity } from "@kintsugi/lab";

/** A write that a client is about to make, or has made. */
export interface ApiWrite {
  readonly method: string;
  /** The path of the request, with its query. */
  readonly path: string;
  readonly body: string;
}

export type Moment = "before" | "after";

export interface WriteProxyOptions {
  /** Port of the API server on this host. */
  upstreamPort: number;
  /** The server's own certificate, so that its clients cannot distinguish the proxy. */
  serving: Identity;
  /** The client's own identity, with which the requests are forwarded. */
  client: Identity;
  /**
   * Called before a write reaches the server, and after it was answered. True means that the client
   * has been killed: its connections end, and a waiting write is not made.
   */
  onWrite: (write: ApiWrite, moment: Moment) => Promise<boolean>;
}

/** A proxy between one client and the API server, which reads its writes, and may drop them. */
export interface WriteProxy extends AsyncDisposable {
  readonly port: number;
}

/** Far more than a controller's concurrent writes. */
const bodyBytesMax = 4 * 1024 * 1024;
/** Number of attempts to reach a server that is restarting, as its clients would make. */
const upstreamTries = 3;

export async function startWriteProxy(options: WriteProxyOptions): Promise<WriteProxy> {
  // A handshake for each request would cost more than the request. A request on a connection that
  // the server is about to close fails, as it would without the proxy.
  const agent = new Agent({ ...options.client, keepAlive: true, scheduling: "lifo" });
  const sockets = new Set<Socket>();
  const cutAll = () => sockets.forEach((socket) => socket.destroy());
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (incoming.method === "GET") return pass(incoming, outgoing);
    const body = await bodyOf(incoming);
    const write = { method: incoming.method ?? "", path: incoming.url ?? "", body: body.toString() };
    const wasKilled = await options.onWrite(write, "before");
    if (wasKilled) cutAll();
    // The death at another write included this write.
    if (incoming.socket.destroyed) return;
    const { status, headers, text } = await send(incoming, body);
    if (await options.onWrite(write, "after")) cutAll();
    if (!incoming.socket.destroyed) outgoing.writeHead(status, headers).end(text);
  };

  const target = (incoming: IncomingMessage) => ({
    agent,
    host: "127.0.0.1",
    port: options.upstreamPort,
    method: incoming.method,
    path: incoming.url,
    headers: incoming.headers,
  });
  /** A list or a watch is forwarded as it arrives. */
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const onward = httpsRequest(target(incoming), (response) => {
      outgoing.writeHead(response.statusCode ?? 502, ofThisConnection(response.headers));
      // A watch's client waits for its beginning.
      outgoing.flushHeaders();
      response.pipe(outgoing);
      response.once("error", () => outgoing.destroy());
    });
    onward.once("error", () => outgoing.destroy());
    outgoing.once("close", () => onward.destroy());
    onward.end();
  };
  const send = async (incoming: IncomingMessage, body: Buffer) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await sendOnce(incoming, body);
      } catch (error) {
        // Only a connection that was never established makes it certain that the write was not
        // made.
        if ((error as NodeJS.ErrnoException).code !== "ECONNREFUSED" || attempt === upstreamTries) throw error;
        await sleep(200);
      }
    }
  };
  const sendOnce = (incoming: IncomingMessage, body: Buffer) =>
    new Promise<{ status: number; headers: OutgoingHttpHeaders; text: Buffer }>((resolve, reject) => {
      const onward = httpsRequest(target(incoming), (response) => {
        bodyOf(response).then(
          (text) => resolve({ status: response.statusCode ?? 502, headers: ofThisConnection(response.headers), text }),
          reject,
        );
      });
      onward.once("error", reject);
      onward.end(body);
    });

  const server = createServer(options.serving, (incoming, outgoing) => {
    Promise.resolve(answer(incoming, outgoing)).catch(() => outgoing.destroy());
  });
  // The proxy never ends a watch, or an idle connection at the moment of a request.
  Object.assign(server, { requestTimeout: 0, keepAliveTimeout: 0, timeout: 0 });
  server.on("secureConnection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      cutAll();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Connection-specific headers are not forwarded (RFC 9110, 7.6.1). */
function ofThisConnection(headers: IncomingMessage["headers"]): OutgoingHttpHeaders {
  const { connection: _, "keep-alive": __, "transfer-encoding": ___, ...rest } = headers;
  return rest;
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Error(`a body has more than ${bodyBytesMax} bytes`);
  }
  return Buffer.concat(chunks);
}
