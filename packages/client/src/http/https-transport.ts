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
import { ClientCredentials, type TlsMaterial } from "./client-credentials.ts";

/**
 * Calls in flight to one server; further ones wait their turn. One core of an api-server is busy
 * with fewer.
 */
const callSocketsMax = 32;
/** Watches open at once: a kubelet follows each Secret and ConfigMap of its pods. */
const watchSocketsMax = 1024;
/** The silence after which TCP probes a peer. */
const tcpKeepAliveMs = 15_000;

export interface HttpsTransportOptions extends TlsMaterial {
  /** "https://10.0.0.1:6443"; a path in it is a prefix of every request. */
  server: string;
  /** The credentials in place of `ca`, `cert` and `key`, where they may change. */
  credentials?: ClientCredentials | undefined;
  /** The name to expect in the server's certificate, if not the host in `server`. */
  serverName?: string | undefined;
}

interface Agents {
  readonly credentials: TlsMaterial;
  readonly calls: Agent;
  readonly watches: Agent;
}

/**
 * HTTP/1.1 over TLS with kept-alive connections. Watches have connections of their own, so that
 * they never block calls.
 */
export class HttpsTransport implements Transport {
  readonly host: string;
  readonly #base: URL;
  readonly #options: HttpsTransportOptions;
  readonly #credentials: ClientCredentials;
  #agents: Agents;

  constructor(options: HttpsTransportOptions) {
    const base = new URL(options.server);
    if (base.protocol !== "https:") throw new TypeError(`${options.server}: the API is spoken over https only`);
    this.#base = base;
    this.host = base.origin;
    this.#options = options;
    this.#credentials = options.credentials ?? new ClientCredentials(options);
    this.#agents = this.#connectWith(this.#credentials.current);
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      const { cancellation } = request;
      if (cancellation.cancelled) {
        reject(cancellation.reason as Error);
        return;
      }
      let sent = false;
      const onSent = () => {
        sent = true;
        request.onSent();
      };
      const { calls, watches } = this.#currentAgents();
      const outgoing = httpsRequest({
        agent: request.longRunning ? watches : calls,
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
        if (!socket.connecting) onSent();
        else socket.once("secureConnect", onSent);
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
    this.#agents.calls.destroy();
    this.#agents.watches.destroy();
    return Promise.resolve();
  }

  /**
   * New credentials need new connections: those in use end with their requests, idle ones at once.
   */
  #currentAgents(): Agents {
    const { current } = this.#credentials;
    if (this.#agents.credentials !== current) {
      const { calls } = this.#agents;
      this.#agents = this.#connectWith(current);
      calls.maxFreeSockets = 0;
      for (const socket of Object.values(calls.freeSockets).flatMap((each) => each ?? [])) socket.destroy();
    }
    return this.#agents;
  }

  #connectWith(credentials: TlsMaterial): Agents {
    const { ca, cert, key } = credentials;
    const { serverName } = this.#options;
    const tls = {
      // Made once: parsing the certificates anew for each connection costs more than the rest of
      // the handshake.
      secureContext: createSecureContext({ ca, cert, key, minVersion: "TLSv1.2" }),
      keepAlive: true,
      keepAliveMsecs: tcpKeepAliveMs,
      ...(serverName === undefined ? {} : { servername: serverName }),
    };
    return {
      credentials,
      // All of them may stay open: in a burst the same ones are idle and wanted again within
      // milliseconds.
      calls: new Agent({ ...tls, maxSockets: callSocketsMax, maxFreeSockets: callSocketsMax, scheduling: "lifo" }),
      watches: new Agent({ ...tls, maxSockets: watchSocketsMax, maxFreeSockets: 0 }),
    };
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
