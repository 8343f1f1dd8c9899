import type { ConnectionLimits } from "./connection-limits.ts";

/** A connection in the view of the register. */
export interface OpenConnection {
  /** The client's address: "fd00::1", "10.0.0.1". */
  readonly address: string;
  bytesRead(): number;
}

/** One admitted connection. */
export interface RegisteredConnection<C extends OpenConnection = OpenConnection> {
  readonly connection: C;
  readonly network: string;
  readonly openedAtMs: number;
  isSecure: boolean;
  /** Undefined until the client is authenticated. */
  user: string | undefined;
}

/** The reason why a connection is closed: the limit that it exceeded, in number, bytes or time. */
export type EndReason = "total" | "address" | "user" | "bytes" | "requests" | "handshake" | "unknown";

export interface Ending<C extends OpenConnection> {
  readonly registered: RegisteredConnection<C>;
  readonly reason: EndReason;
}

export type Admission<C extends OpenConnection> =
  /** `ending` is closed to make room for the new connection. */
  { registered: RegisteredConnection<C>; ending: Ending<C> | undefined } | { refused: EndReason };

const requestWindowMs = 10_000;

// One connection is closed when a limit is exceeded:
//
//   unknown of one address > unknownPerAddressMax   the oldest unknown one of that address
//   all unknown > unknownMax, or all > its max      the oldest unknown one of the address
//                                                   that has the most
//   all > connectionsMax, without unknown ones      the new connection
//   known of one user > perUserMax                  the most recently authenticated one
//
// A client that opens silent connections thereby closes its own connections. A client is admitted
// if it authenticates within the time in which a thousand other connections are opened, and an
// authenticated connection is never closed in favor of an unauthenticated one.

/**
 * Counts connections and decides which have to be closed. It does not close them, and handles no
 * sockets.
 */
export class ConnectionRegister<C extends OpenConnection> {
  readonly #limits: ConnectionLimits;
  readonly #unknown = new Map<string, Set<RegisteredConnection<C>>>();
  readonly #users = new Map<string, number>();
  /**
   * The requests of unauthenticated clients, by address. There are at most as many entries as
   * connections that were opened in the window.
   */
  readonly #requests = new Map<string, number>();
  #requestsSinceMs = 0;
  #unknownCount = 0;
  #count = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  get counts(): { known: number; unknown: number } {
    return { known: this.#count - this.#unknownCount, unknown: this.#unknownCount };
  }

  open(connection: C, nowMs: number): Admission<C> {
    const { connectionsMax, unknownMax, unknownPerAddressMax } = this.#limits;
    const network = networkOf(connection.address);
    let ending: Ending<C> | undefined;
    if ((this.#unknown.get(network)?.size ?? 0) >= unknownPerAddressMax) ending = this.#endOldest(network, "address");
    else if (this.#unknownCount >= unknownMax || this.#count >= connectionsMax) {
      const heaviest = this.#heaviest();
      if (heaviest === undefined) return { refused: "total" };
      ending = this.#endOldest(heaviest, "total");
    }
    const registered = { connection, network, openedAtMs: nowMs, isSecure: false, user: undefined };
    const beside = this.#unknown.get(network) ?? new Set();
    this.#unknown.set(network, beside.add(registered));
    this.#unknownCount++;
    this.#count++;
    return { registered, ending };
  }

  /** The client is authenticated. */
  know(registered: RegisteredConnection<C>, user: string): Ending<C> | undefined {
    if (registered.user !== undefined || !this.#forgetUnknown(registered)) return undefined;
    registered.user = user;
    const count = (this.#users.get(user) ?? 0) + 1;
    this.#users.set(user, count);
    if (count <= this.#limits.perUserMax) return undefined;
    this.close(registered);
    return { registered, reason: "user" };
  }

  /**
   * A request has begun. The requests of an authenticated client are counted separately, with their
   * answers.
   */
  request(registered: RegisteredConnection<C>, nowMs: number): Ending<C> | undefined {
    if (registered.user !== undefined) return undefined;
    if (nowMs - this.#requestsSinceMs >= requestWindowMs) {
      this.#requests.clear();
      this.#requestsSinceMs = nowMs;
    }
    const count = (this.#requests.get(registered.network) ?? 0) + 1;
    this.#requests.set(registered.network, count);
    if (count <= this.#limits.unknownRequestsMax) return undefined;
    this.close(registered);
    return { registered, reason: "requests" };
  }

  /** The connection has ended. A second call does nothing. */
  close(registered: RegisteredConnection<C>): void {
    const { user } = registered;
    if (user === undefined) {
      if (this.#forgetUnknown(registered)) this.#count--;
      return;
    }
    registered.user = undefined;
    const left = (this.#users.get(user) ?? 1) - 1;
    if (left === 0) this.#users.delete(user);
    else this.#users.set(user, left);
    this.#count--;
  }

  /**
   * Ends the connections that have exceeded the limits of time or bytes. These connections no
   * longer count.
   */
  sweep(nowMs: number): Ending<C>[] {
    const { handshakeTimeoutMs, unknownTimeoutMs, unknownBytesMax, unknownBytesInAllMax } = this.#limits;
    const endings: Ending<C>[] = [];
    const left: { registered: RegisteredConnection<C>; bytes: number }[] = [];
    for (const registered of [...this.#unknown.values()].flatMap((each) => [...each])) {
      const ageMs = nowMs - registered.openedAtMs;
      const bytes = registered.connection.bytesRead();
      if (!registered.isSecure && ageMs >= handshakeTimeoutMs) endings.push({ registered, reason: "handshake" });
      else if (ageMs >= unknownTimeoutMs) endings.push({ registered, reason: "unknown" });
      else if (bytes > unknownBytesMax) endings.push({ registered, reason: "bytes" });
      else left.push({ registered, bytes });
    }
    let inAll = left.reduce((sum, { bytes }) => sum + bytes, 0);
    left.sort((a, b) => b.bytes - a.bytes);
    for (const { registered, bytes } of left) {
      if (inAll <= unknownBytesInAllMax) break;
      endings.push({ registered, reason: "bytes" });
      inAll -= bytes;
    }
    for (const { registered } of endings) this.close(registered);
    return endings;
  }

  #forgetUnknown(registered: RegisteredConnection<C>): boolean {
    const beside = this.#unknown.get(registered.network);
    if (beside?.delete(registered) !== true) return false;
    if (beside.size === 0) this.#unknown.delete(registered.network);
    this.#unknownCount--;
    return true;
  }

  #endOldest(network: string, reason: EndReason): Ending<C> | undefined {
    // Sets keep the insertion order of their members.
    const [registered] = this.#unknown.get(network) ?? [];
    if (registered === undefined) return undefined;
    this.close(registered);
    return { registered, reason };
  }

  #heaviest(): string | undefined {
    let most = 0;
    let heaviest: string | undefined;
    for (const [network, { size }] of this.#unknown) {
      if (size > most) [most, heaviest] = [size, network];
    }
    return heaviest;
  }
}

/**
 * The range of addresses from which one client can choose: one IPv4 address, or a /64 network of
 * IPv6.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  const [head = "", tail] = (address.split("%")[0] ?? "").toLowerCase().split("::");
  const leading = head === "" ? [] : head.split(":");
  const trailing = tail === undefined || tail === "" ? [] : tail.split(":");
  const missing = tail === undefined ? 0 : 8 - leading.length - trailing.length;
  const groups = [...leading, ...Array<string>(Math.max(0, missing)).fill("0"), ...trailing];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`;
}
