import type { Clock } from "@kintsugi/clock";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { type Bus, BusDenied, type BusHandlers, type BusStatus, BusUnavailable } from "../bus.ts";
import { SubscriptionTree } from "./subscription-tree.ts";

/** The fate of one message to one subscriber. A delayed message may be overtaken. */
export type Fate = "deliver" | "drop" | "duplicate" | { delayMs: number };

export interface Delivery {
  readonly subject: string;
  readonly payload: Uint8Array;
  /** The name of the receiving client. */
  readonly to: string;
}

/**
 * The server side of a bus without a network: clients connect to it by name, and tests decide which
 * messages the bus loses.
 */
export class MemoryBus {
  readonly #clock: Clock;
  /** The clients in the order of their connection, in which they receive a message. */
  readonly #clients = new Map<MemoryBusClient, number>();
  #clientsSeen = 0;
  readonly #subscriptions = new SubscriptionTree<MemorySubscription>();
  /** The clients that subscribe to a subject, valid until a subscription begins or ends. */
  readonly #hearers = new Map<string, readonly MemoryBusClient[]>();
  /** The last delayed batch to each client. */
  readonly #onTheWay = new WeakMap<MemoryBusClient, Batch>();
  #fateOf: (delivery: Delivery) => Fate = () => "deliver";

  constructor(deps: { clock?: Clock } = {}) {
    this.#clock = deps.clock ?? new VirtualClock();
  }

  /** A connected client; `maySubscribe` decides to which filters the client may subscribe. */
  connect(name: string, maySubscribe: (filter: string) => boolean = () => true): MemoryBusClient {
    const client: MemoryBusClient = new MemoryBusClient({
      name,
      maySubscribe,
      route: (subject, payload) => this.#route(client, subject, payload),
      began: (subscription) => {
        this.#subscriptions.add(subscription.wanted, subscription);
        this.#hearers.clear();
      },
      ended: (subscription) => {
        this.#subscriptions.remove(subscription.wanted, subscription);
        this.#hearers.clear();
      },
      leave: () => {
        this.#clients.delete(client);
        this.#hearers.clear();
      },
    });
    this.#clients.set(client, this.#clientsSeen++);
    return client;
  }

  /** `fateOf` decides about every delivery from now on. */
  setFate(fateOf: (delivery: Delivery) => Fate): void {
    this.#fateOf = fateOf;
  }

  /** Stops the server: all clients are disconnected. */
  stop(because = "server stopped"): void {
    for (const client of this.#clients.keys()) client.disconnect(because);
  }

  /** Restarts the server and reconnects all clients. */
  start(): void {
    for (const client of this.#clients.keys()) client.reconnect();
  }

  #route(from: MemoryBusClient, subject: string, payload: Uint8Array): void {
    let message: Message | undefined;
    for (const client of this.#hearersOf(subject)) {
      // A client receives neither its own messages nor messages from the time when it was
      // disconnected.
      if (client === from || !client.connected()) continue;
      // The sender may reuse the bytes.
      message ??= { subject, payload: new Uint8Array(payload) };
      const fate = this.#fateOf({ subject, payload: message.payload, to: client.name });
      if (fate === "drop") continue;
      if (typeof fate === "object") {
        this.#deliverLater(client, message, fate.delayMs);
        continue;
      }
      const { connection } = client;
      const arrived = message;
      const deliver = () => client.deliver(arrived, connection);
      queueMicrotask(deliver);
      if (fate === "duplicate") queueMicrotask(deliver);
    }
  }

  #hearersOf(subject: string): readonly MemoryBusClient[] {
    const remembered = this.#hearers.get(subject);
    if (remembered) return remembered;
    const found = this.#subscriptions.find(subject.split(".")).map(({ client }) => client);
    const placeOf = (client: MemoryBusClient) => this.#clients.get(client) ?? 0;
    const hearers = [...new Set(found)]
      .filter((client) => this.#clients.has(client))
      .toSorted((a, b) => placeOf(a) - placeOf(b));
    if (this.#hearers.size >= rememberedSubjectsMax) this.#hearers.clear();
    this.#hearers.set(subject, hearers);
    return hearers;
  }

  /** Messages that arrive together wake their client once. */
  #deliverLater(client: MemoryBusClient, message: Message, delayMs: number): void {
    const { connection } = client;
    const dueMs = this.#clock.monotonicMs() + delayMs;
    const last = this.#onTheWay.get(client);
    if (last !== undefined && last.dueMs === dueMs && last.connection === connection && last.messages.length > 0) {
      last.messages.push(message);
      return;
    }
    const batch = { dueMs, connection, messages: [message] };
    this.#onTheWay.set(client, batch);
    this.#clock.after(delayMs, () => {
      for (const each of batch.messages.splice(0)) client.deliver(each, connection);
    });
  }
}

/** Messages that arrive at one client at one time; empty after their arrival. */
interface Batch {
  readonly dueMs: number;
  readonly connection: number;
  readonly messages: Message[];
}

interface Message {
  readonly subject: string;
  readonly payload: Uint8Array;
}

interface MemoryBusClientDeps {
  name: string;
  maySubscribe(filter: string): boolean;
  route(subject: string, payload: Uint8Array): void;
  began(subscription: MemorySubscription): void;
  ended(subscription: MemorySubscription): void;
  leave(): void;
}

interface MemorySubscription {
  readonly client: MemoryBusClient;
  /** The tokens of its filter. */
  readonly wanted: readonly string[];
  readonly handlers: BusHandlers;
}

/**
 * Limit on subjects whose subscribers are cached, which is the number of objects in a large test.
 */
const rememberedSubjectsMax = 4096;

export class MemoryBusClient implements Bus {
  readonly name: string;
  readonly #deps: MemoryBusClientDeps;
  readonly #subscriptions = new Set<MemorySubscription>();
  readonly #listeners = new Set<(status: BusStatus) => void>();
  /** The subscribers of a subject, valid until a subscription begins or ends. */
  readonly #hearers = new Map<string, readonly MemorySubscription[]>();
  #connected = true;
  #connection = 1;

  constructor(deps: MemoryBusClientDeps) {
    this.name = deps.name;
    this.#deps = deps;
  }

  /** Counts connections, because messages in flight over an earlier connection are lost. */
  get connection(): number {
    return this.#connection;
  }

  publish(subject: string, payload: Uint8Array): void {
    this.#assertConnected();
    this.#deps.route(subject, payload);
  }

  async subscribe(filter: string, handlers: BusHandlers, signal: AbortSignal): Promise<void> {
    this.#assertConnected();
    signal.throwIfAborted();
    if (!this.#deps.maySubscribe(filter)) throw new BusDenied(`${this.name} may not subscribe to ${filter}`);
    const subscription = { client: this, wanted: filter.split("."), handlers };
    this.#subscriptions.add(subscription);
    this.#hearers.clear();
    this.#deps.began(subscription);
    const leave = () => {
      this.#subscriptions.delete(subscription);
      this.#hearers.clear();
      this.#deps.ended(subscription);
    };
    signal.addEventListener("abort", leave, { once: true });
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

  /** Disconnects this client; messages that are published in the meantime are lost for it. */
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

  /** Ends the client: the server removes it. */
  close(because = "connection closed"): void {
    this.disconnect(because);
    this.#deps.leave();
  }

  /** Loses the connection and restores it immediately, as for a slow consumer. */
  reset(because = "slow consumer"): void {
    this.disconnect(because);
    this.reconnect();
  }

  deliver({ subject, payload }: Message, connection: number): void {
    if (!this.#connected || connection !== this.#connection) return;
    for (const subscription of this.#hearersOf(subject)) {
      // An earlier listener may have ended the subscription.
      if (this.#subscriptions.has(subscription)) subscription.handlers.onMessage(subject, payload);
    }
  }

  #hearersOf(subject: string): readonly MemorySubscription[] {
    const remembered = this.#hearers.get(subject);
    if (remembered) return remembered;
    const tokens = subject.split(".");
    const hearers = [...this.#subscriptions].filter(({ wanted }) => matches(wanted, tokens));
    if (this.#hearers.size >= rememberedSubjectsMax) this.#hearers.clear();
    this.#hearers.set(subject, hearers);
    return hearers;
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

/**
 * Reports whether a filter, with `*` for one token and a final `>` for one or more, covers a
 * subject.
 */
function matches(wanted: readonly string[], tokens: readonly string[]): boolean {
  for (const [i, want] of wanted.entries()) {
    if (want === ">") return tokens.length > i;
    if (i >= tokens.length || (want !== "*" && want !== tokens[i])) return false;
  }
  return wanted.length === tokens.length;
}
