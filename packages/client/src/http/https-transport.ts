import type { IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { createSecureContext } from "node:tls";
import {
  type Cancellation,
  ConnectionFault,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../rest/transport.ts";

/** Calls in flight to one server; further ones wait their turn. One core of an api-server is busy with fewer. */
const callSocketsMax = 32;
/** Watches open at once: a kubelet follows each Secret and ConfigMap of its pods. */
const watchSocketsMax = 1024;
/** How soon TCP asks a silent peer whether it is still there. */
const tcpKeepAliveMs = 15_000;

export interface HttpsTransportOptions {
  /** "https://10.0.0.1:6443"; a path in it is a prefix of every request. */
  server: string;
  /** PEM of the authorities that may have signed the server's certificate; absent: the system's. */
  ca?: string | undefined;
  /** PEM of the client's certificate and its key. */
  cert?: string | undefined;
  key?: string | undefined;
  /** The name to expect in the server's certificate, if not the host in `server`. */
  serverName?: string | undefined;
}

/** HTTP/1.1 over TLS with kept-alive connections. Watches have connections of their own, so that they never block calls. */
export class HttpsTransport implements Transport {
  readonly host: string;
  readonly #base: URL;
  readonly #calls: Agent;
  readonly #watches: Agent;

  constructor(options: HttpsTransportOptions) {
    const base = new URL(options.server);
    if (base.protocol !== "https:") throw new TypeError(`${options.server}: the API is spoken over https only`);
    this.#base = base;
    this.host = base.origin;
    // Made once: parsing the certificates anew for each connection costs more than the rest of the handshake.
    const { ca, cert, key } = options;
    const tls = {
      secureContext: createSecureContext({ ca, cert, key, minVersion: "TLSv1.2" }),
      keepAlive: true,
      keepAliveMsecs: tcpKeepAliveMs,
      ...(options.serverName === undefined ? {} : { servername: options.serverName }),
    };
    // All of them may stay open: in a burst the same ones are idle and wanted again within milliseconds.
    this.#calls = new Agent({ ...tls, maxSockets: callSocketsMax, maxFreeSockets: callSocketsMax, scheduling: "lifo" });
    this.#watches = new Agent({ ...tls, maxSockets: watchSocketsMax, maxFreeSockets: 0 });
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      const { cancellation } = request;
      if (cancellation.cancelled) {
        reject(cancellation.reason as Error);
        return;
      }
      let sent = false;
      const outgoing = httpsRequest({
        agent: request.longRunning ? this.#watches : this.#calls,
        host: this.#base.hostname.replace(/^\[(.*)\]$/, "$1"),
        port: this.#base.port === "" ? 443 : Number(this.#base.port),
        method: request.method,
        path: `${this.#base.pathname.replace(/\/$/, "")}${request.path}`,
        headers: {
          ...request.headers,
          ...(request.body === undefined ? {} : { "content-length": String(request.body.byteLength) }),
        },
      });
      const stopListening = cancellation.onCancel(() => outgoing.destroy(cancellation.reason as Error));
      outgoing.once("socket", (socket) => {
        if (!socket.connecting) sent = true;
        else socket.once("secureConnect", () => (sent = true));
      });
      outgoing.once("close", stopListening);
      outgoing.once("error", (error) => {
        if (cancellation.cancelled) reject(cancellation.reason as Error);
        else reject(new ConnectionFault(error.message, { sent, cause: error }));
      });
      outgoing.once("response", (response) => resolve(this.#answer(response, cancellation)));
      outgoing.end(request.body);
    });
  }

  close(): Promise<void> {
    this.#calls.destroy();
    this.#watches.destroy();
    return Promise.resolve();
  }

  #answer(response: IncomingMessage, cancellation: Cancellation): TransportResponse {
    return {
      status: response.statusCode ?? 0,
      headers: flatten(response),
      body: bodyOf(response, cancellation),
    };
  }
}

async function* bodyOf(response: IncomingMessage, cancellation: Cancellation): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of response) yield chunk as Uint8Array;
  } catch (error) {
    if (cancellation.cancelled) throw cancellation.reason as Error;
    throw new ConnectionFault((error as Error).message, { sent: true, cause: error });
  }
}

function flatten(response: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}
