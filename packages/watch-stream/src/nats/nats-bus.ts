import { checkServerIdentity, type ConnectionOptions, type PeerCertificate } from "node:tls";
import type { Logger } from "@kintsugi/api";
import { backoffDelayMs, type Clock, jittered, type Random } from "@kintsugi/clock";
import { connect, jwtAuthenticator, type NatsConnection, NatsError, type Subscription, type TlsOptions } from "nats";
import { createUser } from "../identity/nkeys.ts";
import { type Bus, BusDenied, type BusHandlers, type BusStatus, BusUnavailable } from "../bus.ts";
import { busTokenLifetimeMs } from "../identity/bus-authority.ts";
import type { BusCredentials } from "./bus-credentials.ts";

export interface NatsBusDeps {
  clock: Clock;
  log: Logger;
  /**
   * Gets a token for this process's public key: from the API server, or, inside the API server,
   * from the authority itself.
   */
  credentials: (publicKey: string, signal: AbortSignal) => Promise<BusCredentials>;
  /** Spreads the reconnections of many processes; by default they are not spread. */
  random?: Random;
}

export interface NatsBusOptions {
  /** The connection's name in the server's log. */
  name: string;
  /** The cluster's certificate authority, PEM. */
  ca: string;
}

/** A server that does not confirm within this time is considered down. */
const callTimeoutMs = 5_000;
/** The bytes that may be published before the server has confirmed any of them. */
const unconfirmedBytesMax = 16 * 1024 * 1024;
/** Number of bytes after which a confirmation is requested. */
const confirmEveryBytes = 256 * 1024;
const connectBackoff = { initialMs: 100, factor: 2, maxMs: 5_000 };
/**
 * The wait is extended by up to this share, so that not all kubelets reconnect in the same instant.
 */
const backoffJitter = 0.5;

/**
 * A subscription in the view of its subscriber; the library's own subscription lives only as long
 * as one connection.
 */
interface Listening {
  readonly filter: string;
  readonly handlers: BusHandlers;
  subscription: Subscription | undefined;
  denied: NatsError | undefined;
}

interface ObtainedCredentials extends BusCredentials {
  readonly atMs: number;
}

// One connection is one session. The library never reconnects by itself, because the token cannot
// be renewed between two of its attempts, and because messages that it queues in the meantime are
// lost without an error.
//
//   credentials ─► connect ─► subscribe all again, confirmed ─► connected … lost ─► interrupted ─┐
//        ▲                    interrupted: nothing is lost from here on                          │
//        └────────────────────────────────────────── wait ◄──────────────────────────────────────┘

/**
 * The bus over NATS. `run` connects, and reconnects forever; every call fails until the first
 * connection, and while the connection is lost.
 */
export class NatsBus implements Bus {
  readonly #deps: NatsBusDeps;
  readonly #options: NatsBusOptions;
  readonly #key = createUser();
  readonly #listening = new Set<Listening>();
  readonly #statusListeners = new Set<(status: BusStatus) => void>();
  #credentials: ObtainedCredentials | undefined;
  /** The server rejected the token, so the next attempt needs another token. */
  #refused = false;
  #connection: NatsConnection | undefined;
  #connected = false;
  #unconfirmedBytes = 0;
  #confirming = false;

  constructor(deps: NatsBusDeps, options: NatsBusOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** The servers of the bus; empty before the first credentials. */
  servers(): readonly string[] {
    return this.#credentials?.servers ?? [];
  }

  /** The cluster's name on the bus. @throws BusUnavailable before the first credentials. */
  cluster(): string {
    if (!this.#credentials) throw new BusUnavailable("there are no bus credentials yet");
    return this.#credentials.cluster;
  }

  /** Stays connected until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, random } = this.#deps;
    let failures = 0;
    while (!signal.aborted) {
      failures++;
      try {
        await this.#session(signal, () => (failures = 1));
      } catch (error) {
        if (!signal.aborted) log.warn("bus cannot be reached", { error });
      }
      const waitMs = backoffDelayMs(failures, connectBackoff);
      await clock.sleep(random ? jittered(random, waitMs, backoffJitter) : waitMs, signal).catch(() => {});
    }
  }

  publish(subject: string, payload: Uint8Array): void {
    const connection = this.#connectionOrThrow();
    if (this.#unconfirmedBytes + payload.byteLength > unconfirmedBytesMax) {
      throw new BusUnavailable(`the server has not confirmed ${this.#unconfirmedBytes} bytes`);
    }
    this.#unconfirmedBytes += payload.byteLength;
    connection.publish(subject, payload);
    if (this.#unconfirmedBytes > confirmEveryBytes && !this.#confirming) void this.flush().catch(() => {});
  }

  async subscribe(filter: string, handlers: BusHandlers, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const connection = this.#connectionOrThrow();
    const listening: Listening = { filter, handlers, subscription: undefined, denied: undefined };
    listenOn(connection, listening);
    const stop = () => {
      this.#listening.delete(listening);
      listening.subscription?.unsubscribe();
    };
    try {
      await this.flush();
      if (listening.denied) throw deniedError(listening);
      // The flush may have been confirmed just before the end.
      if (this.#connectionOrThrow() !== connection) throw new BusUnavailable("the connection was lost in the meantime");
      signal.throwIfAborted();
    } catch (error) {
      stop();
      throw error;
    }
    this.#listening.add(listening);
    signal.addEventListener("abort", stop, { once: true });
  }

  async flush(): Promise<void> {
    const connection = this.#connectionOrThrow();
    const confirmed = this.#unconfirmedBytes;
    this.#confirming = true;
    try {
      await this.#inTime(connection.flush());
      this.#unconfirmedBytes = Math.max(0, this.#unconfirmedBytes - confirmed);
    } finally {
      this.#confirming = false;
    }
  }

  connected(): boolean {
    return this.#connected;
  }

  onStatus(listener: (status: BusStatus) => void): () => void {
    this.#statusListeners.add(listener);
    return () => this.#statusListeners.delete(listener);
  }

  /** Runs one connection from its start to its end. */
  async #session(signal: AbortSignal, onConnected: () => void): Promise<void> {
    const connection = await this.#connect(await this.#currentCredentials(signal));
    const close = () => void connection.close();
    signal.addEventListener("abort", close, { once: true });
    let because = "the connection was lost";
    try {
      signal.throwIfAborted();
      await this.#subscribeAnew(connection);
      this.#connection = connection;
      this.#unconfirmedBytes = 0;
      onConnected();
      this.#noteConnected();
      const reason = await connection.closed();
      if (reason) because = `the connection was lost: ${reason.message}`;
      this.#refused = isRefusal(reason);
    } finally {
      signal.removeEventListener("abort", close);
      this.#connection = undefined;
      this.#noteLost(because);
      await connection.close();
    }
  }

  async #connect(credentials: ObtainedCredentials): Promise<NatsConnection> {
    const { name, ca } = this.#options;
    try {
      return await connect({
        servers: [...credentials.servers],
        name,
        authenticator: jwtAuthenticator(credentials.jwt, this.#key.getSeed()),
        tls: tlsOptions(ca, credentials.servers),
        noEcho: true,
        reconnect: false,
        // The server would announce all its addresses, including addresses that clients cannot
        // reach.
        ignoreClusterUpdates: true,
        noAsyncTraces: true,
        timeout: callTimeoutMs,
        pingInterval: 10_000,
        maxPingOut: 2,
      });
    } catch (error) {
      this.#refused = isRefusal(error);
      throw error;
    }
  }

  /** A token is renewed after half its life, and immediately when the server rejected it. */
  async #currentCredentials(signal: AbortSignal): Promise<ObtainedCredentials> {
    const { clock, log, credentials } = this.#deps;
    const held = this.#credentials;
    const heldForMs = held ? clock.monotonicMs() - held.atMs : Infinity;
    if (held && !this.#refused && heldForMs < busTokenLifetimeMs / 2) return held;
    try {
      this.#credentials = { ...(await credentials(this.#key.getPublicKey(), signal)), atMs: clock.monotonicMs() };
      return this.#credentials;
    } catch (error) {
      if (!held || this.#refused || heldForMs >= busTokenLifetimeMs) throw error;
      log.warn("bus credentials cannot be renewed", { error });
      return held;
    }
  }

  /** Messages are lost until the server has confirmed all subscriptions. */
  async #subscribeAnew(connection: NatsConnection): Promise<void> {
    for (const listening of this.#listening) {
      listening.denied = undefined;
      listenOn(connection, listening);
    }
    await this.#inTime(connection.flush());
    for (const listening of this.#listening) {
      if (!listening.denied) continue;
      this.#listening.delete(listening);
      listening.handlers.onInterrupted(deniedError(listening).message);
    }
  }

  #noteConnected(): void {
    this.#connected = true;
    this.#deps.log.info("bus connected", { server: this.#connection?.getServer() });
    for (const listener of this.#statusListeners) listener({ connected: true });
    for (const { handlers } of this.#listening) handlers.onInterrupted("the connection is back");
  }

  #noteLost(because: string): void {
    if (!this.#connected) return;
    this.#connected = false;
    this.#deps.log.warn("bus lost", { because });
    for (const listener of this.#statusListeners) listener({ connected: false, because });
    for (const { handlers } of this.#listening) handlers.onInterrupted(because);
  }

  #connectionOrThrow(): NatsConnection {
    if (!this.#connection || !this.#connected || this.#connection.isClosed())
      throw new BusUnavailable("there is no connection to the bus");
    return this.#connection;
  }

  async #inTime<T>(work: Promise<T>): Promise<T> {
    const giveUp = new AbortController();
    const late = this.#deps.clock.sleep(callTimeoutMs, giveUp.signal).then(
      () => {
        throw new BusUnavailable(`the server did not confirm within ${callTimeoutMs / 1000} s`);
      },
      () => new Promise<never>(() => {}),
    );
    try {
      return await Promise.race([work, late]);
    } catch (error) {
      if (error instanceof NatsError) throw new BusUnavailable(error.message, { cause: error });
      throw error;
    } finally {
      giveUp.abort();
    }
  }
}

function listenOn(connection: NatsConnection, listening: Listening): void {
  const callback = (error: NatsError | null, message: { subject: string; data: Uint8Array }) => {
    if (error) listening.denied = error;
    else listening.handlers.onMessage(message.subject, message.data);
  };
  listening.subscription = connection.subscribe(listening.filter, { callback });
}

function deniedError({ filter, denied }: Listening): BusDenied {
  return new BusDenied(`this identity may not subscribe to ${filter}`, { cause: denied });
}

function isRefusal(error: unknown): boolean {
  return error instanceof NatsError && error.isAuthError();
}

/**
 * The library upgrades a socket without passing Node the host if the host was an address, so that
 * the certificate would be compared with "localhost". It does pass further options, which compare
 * the certificate with the configured servers.
 */
function tlsOptions(
  ca: string,
  servers: readonly string[],
): TlsOptions & Pick<ConnectionOptions, "checkServerIdentity"> {
  const hosts = servers.map((server) => new URL(server).hostname);
  const check = (_: string, certificate: PeerCertificate) => {
    const errors = hosts.map((host) => checkServerIdentity(host, certificate));
    return errors.includes(undefined) ? undefined : errors[0];
  };
  return { ca, checkServerIdentity: check };
}
