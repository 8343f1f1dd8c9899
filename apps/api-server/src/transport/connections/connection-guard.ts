import type { IncomingMessage } from "node:http";
import type { Http2SecureServer, Http2ServerRequest, ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Metrics } from "@kintsugi/api";
import type { Clock, Timer } from "@kintsugi/clock";
import { anonymousName } from "../../authentication/authenticate.ts";
import type { UserInfo } from "../../authorization/authorization.ts";
import type { ConnectionLimits } from "./connection-limits.ts";
import { ConnectionMetrics } from "./connection-metrics.ts";
import {
  ConnectionRegister,
  type Ending,
  type OpenConnection,
  type RegisteredConnection,
} from "./connection-register.ts";
import { boundFloods } from "./frame-floods.ts";

/**
 * Interval of sweeps. Between two sweeps the single thread receives at most the bytes that it can
 * decrypt in this time, about 100 MB.
 */
const sweepIntervalMs = 250;

interface Peer extends OpenConnection {
  readonly socket: Socket;
  /** The objects that were later made around the socket, the outermost first. */
  readonly around: { destroy(): unknown }[];
}
type Registered = RegisteredConnection<Peer>;
type RawRequest = IncomingMessage | Http2ServerRequest;

/** The connections of one listening server. */
export interface GuardedServer {
  /** Called when the client of this request is authenticated. */
  know(request: RawRequest, user: UserInfo): void;
  isKnown(request: RawRequest): boolean;
  /** Resets the connection of this request, as the kernel does when a process dies. */
  reset(request: RawRequest): void;
}

/**
 * Admits connections while there is room, and closes connections that use up the room of other
 * connections. There is one guard for all listening addresses.
 */
export class ConnectionGuard {
  readonly #clock: Clock;
  readonly #register: ConnectionRegister<Peer>;
  readonly #metrics: ConnectionMetrics;
  #sweeping: Timer | undefined;

  constructor(deps: { clock: Clock; metrics: Metrics }, limits: ConnectionLimits) {
    this.#clock = deps.clock;
    this.#metrics = new ConnectionMetrics(deps.metrics);
    this.#register = new ConnectionRegister(limits);
  }

  /**
   * Call before the server listens. `userOf` returns the name in the client's certificate, if it
   * has one.
   */
  guard(server: Http2SecureServer, userOf: (socket: TLSSocket) => string | undefined): GuardedServer {
    /**
     * The connections by the client's address and port. TLS makes its own socket from each
     * connection, and does not reveal from which.
     */
    const byPeer = new Map<string, Registered>();
    /** The connections by the TLS socket, and for HTTP/2 by the session, which hides the socket. */
    const byCarrier = new WeakMap<object, Registered>();
    let arriving: Registered | undefined;
    this.#admitBefore(server, byPeer);
    server.prependListener("secureConnection", (socket: TLSSocket) => {
      arriving = byPeer.get(peerOf(socket));
      if (arriving === undefined) return;
      arriving.isSecure = true;
      byCarrier.set(socket, arriving);
      arriving.connection.around.unshift(socket);
    });
    // Node makes the session within "secureConnection", between the previous listener and the next
    // listener.
    server.on("session", (session: ServerHttp2Session) => {
      const registered = arriving;
      if (registered !== undefined) {
        byCarrier.set(session, registered);
        registered.connection.around.unshift(session);
        // The request is counted before any work for it, because a client may reset a request as
        // soon as it has begun, as often as it likes.
        session.prependListener("stream", () => this.#countRequest(registered));
      }
      boundFloods(session, { clock: this.#clock, onFlood: () => this.#metrics.rejected("flood") });
    });
    server.on("secureConnection", (socket: TLSSocket) => {
      const user = arriving === undefined ? undefined : userOf(socket);
      if (arriving !== undefined && user !== undefined) this.#know(arriving, user);
      arriving = undefined;
    });
    server.prependListener("request", (request: RawRequest) => {
      const registered = "stream" in request ? undefined : byCarrier.get(request.socket);
      if (registered !== undefined) this.#countRequest(registered);
    });
    server.on("tlsClientError", () => this.#metrics.handshakeFailed());
    const find = (raw: RawRequest) => byCarrier.get(("stream" in raw ? raw.stream.session : undefined) ?? raw.socket);
    return {
      know: (raw, { name }) => {
        const registered = name === anonymousName ? undefined : find(raw);
        if (registered !== undefined && registered.user === undefined) this.#know(registered, name);
      },
      isKnown: (raw) => find(raw)?.user !== undefined,
      reset: (raw) => resetConnection(find(raw)?.connection),
    };
  }

  /**
   * A connection that is not admitted never reaches TLS, whose state is most of a connection's
   * memory.
   */
  #admitBefore(server: Http2SecureServer, byPeer: Map<string, Registered>): void {
    const listeners = server.listeners("connection") as ((socket: Socket) => void)[];
    server.removeAllListeners("connection");
    server.on("connection", (socket: Socket) => {
      const registered = this.#admit(socket);
      if (registered === undefined) return;
      const peer = peerOf(socket);
      byPeer.set(peer, registered);
      socket.once("close", () => {
        if (byPeer.get(peer) === registered) byPeer.delete(peer);
        this.#register.close(registered);
        this.#metrics.setOpen(this.#register.counts);
      });
      for (const listener of listeners) listener.call(server, socket);
    });
  }

  #admit(socket: Socket): Registered | undefined {
    const { remoteAddress: address } = socket;
    // The connection has already been closed.
    if (address === undefined) return void socket.destroy();
    const peer: Peer = { address, socket, around: [], bytesRead: () => socket.bytesRead };
    const admission = this.#register.open(peer, this.#clock.monotonicMs());
    if ("refused" in admission) {
      this.#metrics.rejected(admission.refused);
      socket.on("error", () => {});
      return void socket.destroy();
    }
    if (admission.ending !== undefined) this.#end(admission.ending);
    this.#metrics.setOpen(this.#register.counts);
    this.#sweepLater();
    return admission.registered;
  }

  #know(registered: Registered, user: string): void {
    const ending = this.#register.know(registered, user);
    this.#metrics.setOpen(this.#register.counts);
    if (ending !== undefined) this.#end(ending);
  }

  #countRequest(registered: Registered): void {
    const ending = this.#register.request(registered, this.#clock.monotonicMs());
    if (ending !== undefined) this.#end(ending);
  }

  #end({ registered, reason }: Ending<Peer>): void {
    this.#metrics.rejected(reason);
    const { around, socket } = registered.connection;
    // A session that is closing would wait for its client, and a socket is not destroyed while TLS
    // around it is reading.
    for (const each of [...around, socket]) each.destroy();
  }

  #sweepLater(): void {
    if (this.#sweeping !== undefined) return;
    this.#sweeping = this.#clock.after(sweepIntervalMs, () => {
      this.#sweeping = undefined;
      for (const ending of this.#register.sweep(this.#clock.monotonicMs())) this.#end(ending);
      if (this.#register.counts.unknown > 0) this.#sweepLater();
    });
  }
}

function resetConnection(connection: Peer | undefined): void {
  if (connection === undefined) return;
  // The objects around the socket would send the client a proper end, so the socket is first.
  connection.socket.resetAndDestroy();
  for (const each of connection.around) each.destroy();
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
