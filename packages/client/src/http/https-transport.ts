import { strict as assert } from "node:assert";
import type { IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { createSecureContext } from "node:tls";
import {
  type Cancellation,
  ConnectionFault,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../rest/transport.ts";
import { connectionFailureText } from "./connection-failure-text.ts";
import { expectedName } from "./expected-name.ts";
import { Turns } from "./turns.ts";
import { type TryConnection, tryByTcp, ServerProbe } from "./server-probe.ts";
import { ClientCredentials, type TlsMaterial } from "./client-credentials.ts";

/**
 * Calls in flight to one server; further calls wait. Fewer calls already keep one core of an
 * api-server busy.
 */
const callSocketsMax = 32;
/** Watches open at the same time. A kubelet follows each Secret and ConfigMap of its pods. */
const watchSocketsMax = 1024;
/**
 * Time after which a connection that is not established is tried at another server, if the client
 * has another. A machine that is off does not refuse connections.
 */
const connectTimeoutMs = 3_000;
/**
 * Silence after which one of several servers is probed, because an answer is late after this time,
 * and a heartbeat must not wait for an answer that never arrives. A watch may be silent for much
 * longer.
 */
const silenceMs = { call: 2_000, watch: 10_000 } as const;
/** The silence after which TCP probes a peer. */
const tcpKeepAliveMs = 15_000;

export interface HttpsTransportOptions extends TlsMaterial {
  /** "https://10.0.0.1:6443"; a path in the URL is a prefix of every request. */
  server: string;
  /**
   * The servers of a cluster that has several; `server` may be among them. The client uses one
   * server while it answers, and then the next.
   */
  servers?: readonly string[] | undefined;
  /** The credentials, instead of `ca`, `cert` and `key`, where the credentials may change. */
  credentials?: ClientCredentials | undefined;
  /** Reports whether a server accepts connections; by default a connection is tried. */
  probe?: TryConnection | undefined;
  /** Calls in flight at the same time; default 32. */
  callsMax?: number | undefined;
  /** Urgent calls that are in flight in addition to ordinary calls; default 32. */
  urgentCallsMax?: number | undefined;
  /** The name to expect in the server's certificate, if it differs from the host in `server`. */
  serverName?: string | undefined;
}

interface Agents {
  readonly credentials: TlsMaterial;
  readonly calls: Agent;
  readonly watches: Agent;
}

/**
 * HTTP/1.1 over TLS with kept-alive connections. Watches have separate connections, so that they
 * never block calls.
 */
export class HttpsTransport implements Transport {
  readonly #bases: readonly URL[];
  /** The index of the server that is used. */
  #current = 0;
  readonly #options: HttpsTransportOptions;
  readonly #credentials: ClientCredentials;
  /** Only a client of several servers can switch to another server. */
  readonly #probe: ServerProbe | undefined;
  readonly #turns: Turns;
  readonly #urgentTurns: Turns;
  #agents: Agents;

  constructor(options: HttpsTransportOptions) {
    this.#bases = [...new Set([options.server, ...(options.servers ?? [])])].map((server) => {
      const base = new URL(server);
      if (base.protocol !== "https:") throw new TypeError(`${server}: the API is served over https only`);
      return base;
    });
    this.#options = options;
    this.#turns = new Turns(options.callsMax ?? callSocketsMax);
    this.#urgentTurns = new Turns(options.urgentCallsMax ?? callSocketsMax);
    this.#probe = this.#bases.length > 1 ? new ServerProbe(options.probe ?? tryByTcp) : undefined;
    this.#credentials = options.credentials ?? new ClientCredentials(options);
    this.#agents = this.#connectWith(this.#credentials.current);
  }

  /** The current server. */
  get host(): string {
    return this.#base.origin;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const { cancellation, longRunning, urgent } = request;
    if (cancellation.cancelled) throw cancellation.reason;
    if (longRunning) return this.#sendBy(this.#currentAgents().watches, request);
    // Urgent calls have a separate limiter, so they are in flight in addition to ordinary calls.
    const turns = urgent && this.#turns.areTaken ? this.#urgentTurns : this.#turns;
    await turns.enter(cancellation);
    let hasLeft = false;
    const leave = () => {
      if (!hasLeft) turns.leave();
      hasLeft = true;
    };
    try {
      if (cancellation.cancelled) throw cancellation.reason;
      // The credentials may have changed since the first attempt.
      return await this.#sendBy(this.#currentAgents().calls, request, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** `onClosed` is called when the request and its answer have ended. */
  #sendBy(agent: Agent, request: TransportRequest, onClosed = () => {}): Promise<TransportResponse> {
    const base = this.#base;
    return new Promise((resolve, reject) => {
      const { cancellation } = request;
      let sent = false;
      const onSent = () => {
        sent = true;
        request.onSent();
      };
      const outgoing = httpsRequest({
        agent,
        host: base.hostname.replace(/^\[(.*)\]$/, "$1"),
        port: base.port === "" ? 443 : Number(base.port),
        method: request.method,
        path: `${base.pathname.replace(/\/$/, "")}${request.path}`,
        headers: {
          ...request.headers,
          ...(request.body === undefined ? {} : { "content-length": String(request.body.byteLength) }),
        },
      });
      const stopListening = cancellation.onCancel(() => outgoing.destroy(cancellation.reason as Error));
      const onConnected = (socket: Socket) => {
        const after = request.longRunning ? silenceMs.watch : silenceMs.call;
        const followed = { base, request: outgoing, socket };
        this.#probe?.follow(followed, { silenceMs: after, onGone: () => this.#abandon(base) });
        onSent();
      };
      outgoing.once("socket", (socket) => {
        if (!socket.connecting) {
          onConnected(socket);
          return;
        }
        const late = () => outgoing.destroy(new Error(`no connection within ${connectTimeoutMs / 1000} s`));
        if (this.#bases.length > 1) socket.setTimeout(connectTimeoutMs, late);
        socket.once("secureConnect", () => {
          socket.setTimeout(0, late);
          onConnected(socket);
        });
      });
      outgoing.once("close", () => {
        stopListening();
        onClosed();
      });
      outgoing.once("error", (error) => {
        // A caller may have cancelled because the server is silent.
        this.#leave(base);
        if (cancellation.cancelled) reject(cancellation.reason as Error);
        else reject(new ConnectionFault(connectionFailureText(error), { sent, cause: error }));
      });
      outgoing.once("response", (response) => {
        // A server that cannot reach the cluster's objects answers with this status, and other
        // servers may reach them.
        if (response.statusCode === 503) this.#leave(base);
        resolve(this.#answer(response, cancellation, base));
      });
      outgoing.end(request.body);
    });
  }

  close(): Promise<void> {
    this.#agents.calls.destroy();
    this.#agents.watches.destroy();
    return Promise.resolve();
  }

  get #base(): URL {
    const base = this.#bases[this.#current];
    assert(base, `there is a server ${this.#current}`);
    return base;
  }

  /**
   * The next request uses the next server. Requests that failed together switch servers only once.
   */
  #leave(base: URL): void {
    if (this.#base === base) this.#current = (this.#current + 1) % this.#bases.length;
  }

  /** The client no longer uses the removed machine, and closes the idle connections to it. */
  #abandon(base: URL): void {
    this.#leave(base);
    const { hostname, port } = base;
    const start = `${hostname.replace(/^\[(.*)\]$/, "$1")}:${port === "" ? 443 : port}:`;
    for (const { freeSockets } of [this.#agents.calls, this.#agents.watches]) {
      const idle = Object.entries(freeSockets).filter(([name]) => name.startsWith(start));
      for (const socket of idle.flatMap(([, sockets]) => sockets ?? [])) socket.destroy();
    }
  }

  /**
   * New credentials need new connections: connections in use are closed when their requests end,
   * and idle connections immediately.
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
    const callsMax = this.#turns.runningMax + this.#urgentTurns.runningMax;
    const tls = {
      // Made once, because parsing the certificates again for each connection costs more than the
      // rest of the handshake.
      secureContext: createSecureContext({ ca, cert, key, minVersion: "TLSv1.2" }),
      keepAlive: true,
      keepAliveMsecs: tcpKeepAliveMs,
      ...expectedName(serverName),
    };
    return {
      credentials,
      // All connections may remain open, because in a burst a connection is idle and needed again
      // within milliseconds.
      calls: new Agent({ ...tls, maxSockets: callsMax, maxFreeSockets: callsMax, scheduling: "lifo" }),
      watches: new Agent({ ...tls, maxSockets: watchSocketsMax, maxFreeSockets: 0 }),
    };
  }

  #answer(response: IncomingMessage, cancellation: Cancellation, base: URL): TransportResponse {
    return {
      status: response.statusCode ?? 0,
      headers: flatten(response),
      body: bodyOf(response, cancellation, () => this.#leave(base)),
    };
  }
}

async function* bodyOf(
  response: IncomingMessage,
  cancellation: Cancellation,
  onBroken: () => void,
): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of response) yield chunk as Uint8Array;
  } catch (error) {
    if (cancellation.cancelled) throw cancellation.reason as Error;
    onBroken();
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
