import { createConnection, createServer, type Server, type Socket } from "node:net";

/**
 * The fault of a connection. As over TCP, bytes are never lost or changed in between: they are late
 * or stuck, or the connection is cut.
 */
export interface LineFault {
  /** Every byte arrives with this delay, in order. */
  delayMs?: number;
  /** Bytes per second in each direction. */
  bytesPerSecondMax?: number;
  /** Bytes in this direction are held until the fault ends, and then arrive. */
  stuck?: "toServer" | "toClient" | "both";
  /** New connections are accepted and reset immediately. */
  refuses?: boolean;
  /**
   * The number of answer bytes after which each connection is reset, in the middle of an answer.
   */
  resetAfterBytes?: number;
}

export interface FaultProxyOptions {
  listen: readonly { host: string; port: number }[];
  /** Returns the target of a connection, by the local address that it was made to. */
  upstream(localAddress: string): { host: string; port: number };
}

/**
 * A proxy between clients and one server; faults are set per client, by its address, while
 * connections are open.
 */
export interface FaultProxy extends AsyncDisposable {
  /**
   * Sets the fault of the connections of clients whose address matches, replacing their earlier
   * fault.
   */
  setFault(fault: LineFault, clients: (address: string) => boolean): void;
  /** Ends the faults of every connection. */
  mend(): void;
  /** Closes open connections with RST. Returns their number. */
  reset(clients: (address: string) => boolean): number;
  /** The addresses of the clients connected now. */
  clients(): string[];
}

/**
 * The bytes that may wait inside one direction of one connection; further bytes wait in the
 * sender's kernel.
 */
const backlogBytesMax = 256 * 1024;

export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const lines = new Set<Line>();
  let faults: { fault: LineFault; clients: (address: string) => boolean }[] = [];
  const faultOf = (address: string) => faults.find(({ clients }) => clients(address))?.fault ?? {};
  const accept = (client: Socket) => {
    const address = client.remoteAddress ?? "";
    if (faultOf(address).refuses) {
      client.resetAndDestroy();
      return;
    }
    const server = createConnection({ ...options.upstream(client.localAddress ?? ""), allowHalfOpen: true });
    const line = new Line(client, server, address, () => faultOf(address));
    lines.add(line);
    line.closed(() => lines.delete(line));
  };
  const servers: Server[] = [];
  for (const { host, port } of options.listen) servers.push(await listen(accept, host, port));
  const wake = () => {
    for (const line of lines) line.wake();
  };
  return {
    setFault(fault, clients) {
      faults = [{ fault, clients }, ...faults.filter((other) => other.clients !== clients)];
      wake();
    },
    mend() {
      faults = [];
      wake();
    },
    reset(clients) {
      const chosen = [...lines].filter(({ address }) => clients(address));
      for (const line of chosen) line.cut();
      return chosen.length;
    },
    clients: () => [...lines].map(({ address }) => address),
    async [Symbol.asyncDispose]() {
      for (const line of lines) line.cut();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** A client's connection, and the connection to the server that continues it. */
class Line {
  readonly address: string;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #fault: () => LineFault;
  #answeredBytes = 0;
  #wakers = new Set<() => void>();

  constructor(client: Socket, server: Socket, address: string, fault: () => LineFault) {
    this.#client = client;
    this.#server = server;
    this.address = address;
    this.#fault = fault;
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on("error", () => this.cut());
    }
    void this.#pump(client, server, "toServer");
    void this.#pump(server, client, "toClient");
  }

  closed(listener: () => void): void {
    this.#client.once("close", listener);
  }

  /** Makes all waits check again, because the fault has changed. */
  wake(): void {
    for (const waker of this.#wakers) waker();
  }

  cut(): void {
    this.#client.resetAndDestroy();
    this.#server.resetAndDestroy();
    this.wake();
  }

  async #pump(from: Socket, to: Socket, way: "toServer" | "toClient"): Promise<void> {
    let turn = Promise.resolve();
    let backlogBytes = 0;
    try {
      for await (const chunk of from as AsyncIterable<Buffer>) {
        const dueMs = performance.now() + (this.#fault().delayMs ?? 0);
        backlogBytes += chunk.length;
        turn = turn
          .then(() => this.#deliver(chunk, { to, way, dueMs }))
          .then(() => void (backlogBytes -= chunk.length));
        if (backlogBytes > backlogBytesMax) await turn;
      }
      await turn;
      to.end();
    } catch {
      this.cut();
    }
  }

  async #deliver(chunk: Buffer, on: { to: Socket; way: "toServer" | "toClient"; dueMs: number }): Promise<void> {
    for (;;) {
      if (on.to.destroyed) return;
      const { stuck, bytesPerSecondMax } = this.#fault();
      const isStuck = stuck === on.way || stuck === "both";
      const lateMs = (bytesPerSecondMax === undefined ? 0 : (chunk.length / bytesPerSecondMax) * 1000) + on.dueMs;
      const waitMs = lateMs - performance.now();
      if (!isStuck && waitMs <= 0) break;
      await this.#pause(isStuck ? undefined : waitMs);
    }
    const { resetAfterBytes } = this.#fault();
    if (on.way === "toClient") this.#answeredBytes += chunk.length;
    if (resetAfterBytes !== undefined && this.#answeredBytes > resetAfterBytes) return this.cut();
    if (!on.to.write(chunk)) await new Promise<void>((resolve) => this.#whenDrained(on.to, resolve));
  }

  #whenDrained(socket: Socket, resolve: () => void): void {
    socket.once("drain", resolve);
    socket.once("close", resolve);
  }

  /** Waits until the fault changes, the connection is cut, or the time has passed. */
  #pause(durationMs: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const go = () => {
        clearTimeout(timer);
        this.#wakers.delete(go);
        resolve();
      };
      if (durationMs !== undefined) timer = setTimeout(go, durationMs);
      this.#wakers.add(go);
    });
  }
}

function listen(accept: (client: Socket) => void, host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, accept);
    server.once("error", reject);
    server.listen(port, host, () => resolve(server));
  });
}
