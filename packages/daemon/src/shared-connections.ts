import type { Server, Socket } from "node:net";

export interface SharedConnectionLimits {
  /** Limit on connections of all clients together. */
  readonly max: number;
  /** Limit on connections of one client. */
  readonly maxOfClient: number;
}

/** Shares the connections of an HTTP server, with or without TLS, among its clients. */
export function shareConnections(server: Server, limits: SharedConnectionLimits): void {
  const shares = new SharedConnections(limits);
  server.on("connection", (socket: Socket) => shares.admit(socket));
}

/**
 * The connections of a server, shared fairly among its clients. A client that has used its share
 * does not get further connections. When all clients together have too many connections, the oldest
 * connection of the client with the most connections is closed. So a client that sends few requests
 * is always served.
 */
export class SharedConnections {
  readonly #limits: SharedConnectionLimits;
  /** The connections of each client, the oldest first. */
  readonly #byClient = new Map<string, Set<Socket>>();
  #count = 0;

  constructor(limits: SharedConnectionLimits) {
    this.#limits = limits;
  }

  /** Returns false, and closes the connection, if its client has used its share. */
  admit(socket: Socket): boolean {
    const { remoteAddress: client = "" } = socket;
    const own = this.#byClient.get(client) ?? new Set<Socket>();
    if (own.size >= this.#limits.maxOfClient) {
      socket.destroy();
      return false;
    }
    this.#byClient.set(client, own);
    own.add(socket);
    this.#count++;
    socket.once("close", () => this.#remove(client, socket));
    if (this.#count > this.#limits.max) this.#endOldestOfLargest();
    return !socket.destroyed;
  }

  /** Closes all connections. */
  endAll(): void {
    for (const own of this.#byClient.values()) for (const socket of own) socket.destroy();
  }

  #endOldestOfLargest(): void {
    let largest: readonly [string, Set<Socket>] | undefined;
    for (const [client, own] of this.#byClient)
      if (largest === undefined || own.size > largest[1].size) largest = [client, own];
    const [oldest] = largest?.[1] ?? [];
    if (largest === undefined || oldest === undefined) return;
    // The place of the closed connection is free immediately, because the close event arrives
    // later.
    this.#remove(largest[0], oldest);
    oldest.destroy();
  }

  #remove(client: string, socket: Socket): void {
    const own = this.#byClient.get(client);
    if (own?.delete(socket) !== true) return;
    this.#count--;
    if (own.size === 0) this.#byClient.delete(client);
  }
}
