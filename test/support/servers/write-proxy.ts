import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { Agent, createServer, request as httpsRequest } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Identity } from "@kintsugi/lab";

/** A write that a client was about to have made, or has made. */
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
  /** The certificate that the server has too, so that its clients see no difference. */
  serving: Identity;
  /** The client's own identity, with which the requests continue. */
  client: Identity;
  /**
   * Is called before a write reaches the server, and after it was answered. With true the client
   * has been killed: its connections end, and a write that waited is not made.
   */
  onWrite: (write: ApiWrite, moment: Moment) => Promise<boolean>;
}

/** Stands between one client and the API server, reads what it writes, and may lose it. */
export interface WriteProxy extends AsyncDisposable {
  readonly port: number;
}

/** Far beyond what a controller writes at the same time. */
const bodyBytesMax = 4 * 1024 * 1024;
/** A server that is starting again is tried until then, as its clients' own patience is. */
const upstreamTries = 3;

export async function startWriteProxy(options: WriteProxyOptions): Promise<WriteProxy> {
  // A handshake for each request would cost more than the request. One that meets a connection that
  // the server is about to close fails, as it would have without the proxy.
  const agent = new Agent({ ...options.client, keepAlive: true, scheduling: "lifo" });
  const sockets = new Set<Socket>();
  const cutAll = () => sockets.forEach((socket) => socket.destroy());
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (incoming.method === "GET") return pass(incoming, outgoing);
    const body = await bodyOf(incoming);
    const write = { method: incoming.method ?? "", path: incoming.url ?? "", body: body.toString() };
    const wasKilled = await options.onWrite(write, "before");
    if (wasKilled) cutAll();
    // Another write's death was this one's too.
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
  /** A list or a watch goes through as it comes. */
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const onward = httpsRequest(target(incoming), (response) => {
      outgoing.writeHead(response.statusCode ?? 502, ofThisConnection(response.headers));
      // A watch's client wants to see that it has begun.
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
        // Only a connection that was never there leaves no doubt about the write.
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
  // Nothing here ends a watch, or an idle connection under a request that comes just then.
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

/** Headers that are about a connection stay with it (RFC 9110, 7.6.1). */
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
