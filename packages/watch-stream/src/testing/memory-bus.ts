import type { Clock } from "@kintsugi/clock";
import { VirtualClock } from "@kintsugi/clock/testing";
import { type Bus, BusDenied, type BusHandlers, type BusStatus, BusUnavailable } from "../bus.ts";

/** What becomes of one message on its way to one subscriber. A delayed one may be overtaken. */
export type Fate = "deliver" | "drop" | "duplicate" | { delayMs: number };

export interface Delivery {
  readonly subject: string;
  readonly payload: Uint8Array;
  /** The name of the receiving client. */
  readonly to: string;
}

/** The server side of a bus without a network: clients connect to it by name, and tests decide what it loses. */
export class MemoryBus {
  readonly #clock: Clock;
  readonly #clients = new Set<MemoryBusClient>();
  #fateOf: (delivery: Delivery) => Fate = () => "deliver";

  constructor(deps: { clock?: Clock } = {}) {
    this.#clock = deps.clock ?? new VirtualClock();
  }

  /** A connected client; `maySubscribe` is what the server lets it hear. */
  connect(name: string, maySubscribe: (filter: string) => boolean = () => true): MemoryBusClient {
    const client = new MemoryBusClient({ name, maySubscribe, route: (from, message) => this.#route(from, message) });
    this.#clients.add(client);
    return client;
  }

  /** From now on `fateOf` decides about every delivery. */
  setFate(fateOf: (delivery: Delivery) => Fate): void {
    this.#fateOf = fateOf;
  }

  /** The server is gone: nobody is connected. */
  stop(because = "server stopped"): void {
    for (const client of this.#clients) client.disconnect(because);
  }

  /** The server is back, and so is everybody. */
  start(): void {
    for (const client of this.#clients) client.reconnect();
  }

  #route(from: MemoryBusClient, message: { subject: string; payload: Uint8Array }): void {
    for (const client of this.#clients) {
      // A client does not hear itself.
      if (client === from || !client.hears(message.subject)) continue;
      const { connection } = client;
      const deliver = () => client.deliver(message, connection);
      const fate = this.#fateOf({ ...message, to: client.name });
      if (fate === "drop") continue;
      if (typeof fate === "object") this.#clock.after(fate.delayMs, deliver);
      else queueMicrotask(deliver);
      if (fate === "duplicate") queueMicrotask(deliver);
    }
  }
}

interface MemoryBusClientDeps {
  name: string;
  maySubscribe(filter: string): boolean;
  route(from: MemoryBusClient, message: { subject: string; payload: Uint8Array }): void;
}

interface MemorySubscription {
  readonly filter: string;
  readonly handlers: BusHandlers;
}

export class MemoryBusClient implements Bus {
  readonly name: string;
  readonly #deps: MemoryBusClientDeps;
  readonly #subscriptions = new Set<MemorySubscription>();
  readonly #listeners = new Set<(status: BusStatus) => void>();
  #connected = true;
  #connection = 1;

  constructor(deps: MemoryBusClientDeps) {
    this.name = deps.name;
    this.#deps = deps;
  }

  /** Counts connections: what was on its way over an earlier one is lost. */
  get connection(): number {
    return this.#connection;
  }

  publish(subject: string, payload: Uint8Array): void {
    this.#assertConnected();
    this.#deps.route(this, { subject, payload: Uint8Array.from(payload) });
  }

  async subscribe(filter: string, handlers: BusHandlers, signal: AbortSignal): Promise<void> {
    this.#assertConnected();
    signal.throwIfAborted();
    if (!this.#deps.maySubscribe(filter)) throw new BusDenied(`${this.name} may not subscribe to ${filter}`);
    const subscription = { filter, handlers };
    this.#subscriptions.add(subscription);
    signal.addEventListener("abort", () => this.#subscriptions.delete(subscription), { once: true });
  }

  async flush(): Promise<void> {
    this.#assertConnected();
  }

  connected(): boolean {
    return this.#connected;
  }

  onStatus(listener: (status: BusStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Cuts this client off; what is published meanwhile is lost to it. */
  disconnect(because = "connection lost"): void {
    if (!this.#connected) return;
    this.#connected = false;
    this.#connection++;
    this.#tell({ connected: false, because });
    this.#interrupt(because);
  }

  reconnect(): void {
    if (this.#connected) return;
    this.#connected = true;
    this.#tell({ connected: true });
    this.#interrupt("reconnected");
  }

  /** Loses the connection and has it back at once, as a slow consumer does. */
  reset(because = "slow consumer"): void {
    this.disconnect(because);
    this.reconnect();
  }

  /** Whether a message under this subject is on its way to this client. */
  hears(subject: string): boolean {
    return this.#connected && [...this.#subscriptions].some(({ filter }) => matches(filter, subject));
  }

  deliver(message: { subject: string; payload: Uint8Array }, connection: number): void {
    if (!this.#connected || connection !== this.#connection) return;
    for (const { filter, handlers } of this.#subscriptions) {
      if (matches(filter, message.subject)) handlers.onMessage(message.subject, message.payload);
    }
  }

  #tell(status: BusStatus): void {
    for (const listener of this.#listeners) listener(status);
  }

  #interrupt(reason: string): void {
    for (const { handlers } of this.#subscriptions) handlers.onInterrupted(reason);
  }

  #assertConnected(): void {
    if (!this.#connected) throw new BusUnavailable("there is no connection to the bus");
  }
}

/** Whether `filter`, with `*` for one token and a final `>` for one or more, covers `subject`. */
function matches(filter: string, subject: string): boolean {
  const wanted = filter.split(".");
  const tokens = subject.split(".");
  for (const [i, want] of wanted.entries()) {
    if (want === ">") return tokens.length > i;
    if (i >= tokens.length || (want !== "*" && want !== tokens[i])) return false;
  }
  return wanted.length === tokens.length;
}
