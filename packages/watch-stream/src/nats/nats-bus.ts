import { checkServerIdentity, type ConnectionOptions, type PeerCertificate } from "node:tls";
import type { Logger } from "@kintsugi/api";
import { backoffDelayMs, type Clock } from "@kintsugi/clock";
import { connect, jwtAuthenticator, type NatsConnection, NatsError, type Subscription, type TlsOptions } from "nats";
import { createUser } from "nkeys.js";
import { type Bus, BusDenied, type BusHandlers, type BusStatus, BusUnavailable } from "../bus.ts";
import { busTokenLifetimeMs } from "../identity/bus-authority.ts";
import type { BusCredentials } from "./bus-credentials.ts";

export interface NatsBusDeps {
  clock: Clock;
  log: Logger;
  /** Gets a token for this process's public key: from the API server, or, inside it, from the authority itself. */
  credentials: (publicKey: string, signal: AbortSignal) => Promise<BusCredentials>;
}

export interface NatsBusOptions {
  /** As the server's log shows the connection. */
  name: string;
  /** The cluster's certificate authority, PEM. */
  ca: string;
}

/** A server that does not confirm within this is as good as gone. */
const callTimeoutMs = 5_000;
/** What may be handed over before the server has confirmed any of it. */
const unconfirmedBytesMax = 16 * 1024 * 1024;
/** From so much on a confirmation is asked for. */
const confirmEveryBytes = 256 * 1024;
const connectBackoff = { initialMs: 100, factor: 2, maxMs: 5_000 };
const reconnectWaitMs = 250;

interface Listening {
  readonly filter: string;
  readonly handlers: BusHandlers;
}

/**
 * The bus over NATS. `run` connects, and reconnects for ever; until it has, and while there is no connection, every call is an
 * error, because the client library would silently lose what is published then.
 */
export class NatsBus implements Bus {
  readonly #deps: NatsBusDeps;
  readonly #options: NatsBusOptions;
  readonly #key = createUser();
  readonly #listening = new Map<Subscription, Listening>();
  readonly #statusListeners = new Set<(status: BusStatus) => void>();
  #connection: NatsConnection | undefined;
  #credentials: BusCredentials | undefined;
  #connected = false;
  #unconfirmedBytes = 0;
  #confirming = false;

  constructor(deps: NatsBusDeps, options: NatsBusOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** The cluster's name on the bus. @throws BusUnavailable before the first credentials. */
  cluster(): string {
    if (!this.#credentials) throw new BusUnavailable("there are no bus credentials yet");
    return this.#credentials.cluster;
  }

  /** Stays connected until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await this.#runOnce(signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        this.#deps.log.warn("bus cannot be reached", { error });
      }
      await this.#deps.clock.sleep(backoffDelayMs(failures + 1, connectBackoff), signal).catch(() => {});
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
    let denied: NatsError | undefined;
    const subscription = connection.subscribe(filter, {
      callback: (error, message) => {
        if (!error) handlers.onMessage(message.subject, message.data);
        else if (denied === undefined) {
          denied = error;
          this.#listening.delete(subscription);
        }
      },
    });
    this.#listening.set(subscription, { filter, handlers });
    const stop = () => {
      this.#listening.delete(subscription);
      if (!connection.isClosed()) subscription.unsubscribe();
    };
    try {
      await this.flush();
      if (denied) throw new BusDenied(`this identity may not subscribe to ${filter}`, { cause: denied });
    } catch (error) {
      stop();
      throw error;
    }
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
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

  async #runOnce(signal: AbortSignal): Promise<void> {
    this.#credentials = await this.#deps.credentials(this.#key.getPublicKey(), signal);
    const connection = await connect({
      servers: [...this.#credentials.servers],
      name: this.#options.name,
      authenticator: jwtAuthenticator(() => this.#credentials?.jwt ?? "", this.#key.getSeed()),
      tls: tlsOptions(this.#options.ca, this.#credentials.servers),
      noEcho: true,
      reconnect: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: reconnectWaitMs,
      timeout: callTimeoutMs,
      pingInterval: 10_000,
      maxPingOut: 2,
    });
    this.#connection = connection;
    this.#noteConnected();
    const stopRefreshing = new AbortController();
    const close = () => void connection.close();
    signal.addEventListener("abort", close, { once: true });
    try {
      void this.#refreshCredentials(AbortSignal.any([signal, stopRefreshing.signal]));
      void this.#followStatus(connection);
      const reason = await connection.closed();
      if (reason) throw reason;
    } finally {
      signal.removeEventListener("abort", close);
      stopRefreshing.abort();
      this.#connection = undefined;
      this.#noteLost("the connection was closed");
      this.#listening.clear();
    }
  }

  /** The iterator of a closed connection may never end, so nobody waits for this. */
  async #followStatus(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === "disconnect") this.#noteLost("the connection was lost");
      if (status.type === "reconnect") await this.#resume();
    }
  }

  /** Only when the server has confirmed the subscriptions anew is nothing more lost. */
  async #resume(): Promise<void> {
    this.#unconfirmedBytes = 0;
    try {
      await this.#inTime(this.#connection?.flush() ?? Promise.resolve());
    } catch {
      // Lost again meanwhile: the next return resumes.
      return;
    }
    this.#noteConnected();
    for (const { handlers } of this.#listening.values()) handlers.onInterrupted("the connection is back");
  }

  #noteConnected(): void {
    this.#connected = true;
    this.#deps.log.info("bus connected", { server: this.#connection?.getServer() });
    for (const listener of this.#statusListeners) listener({ connected: true });
  }

  #noteLost(because: string): void {
    if (!this.#connected) return;
    this.#connected = false;
    this.#deps.log.warn("bus lost", { because });
    for (const listener of this.#statusListeners) listener({ connected: false, because });
    for (const { handlers } of this.#listening.values()) handlers.onInterrupted(because);
  }

  /** The server ends a connection whose token has run out, so the next one is there long before. */
  async #refreshCredentials(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#deps.clock.sleep(busTokenLifetimeMs / 2, signal).catch(() => {});
      if (signal.aborted) return;
      await this.#deps.credentials(this.#key.getPublicKey(), signal).then(
        (credentials) => (this.#credentials = credentials),
        (error: unknown) => this.#deps.log.warn("bus credentials cannot be renewed", { error }),
      );
    }
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

/**
 * The library upgrades a socket without telling Node whom it dialled if that was an address, so that the certificate would be held
 * against "localhost". It passes further options on, and so it is held against the servers we were given.
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
