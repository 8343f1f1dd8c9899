import type { ChangeFilter, ChangeHandlers, ChangeStream } from "@kintsugi/api";
import { envelopeOf, type MemoryChange, type MemoryLog, nodeOf } from "./memory-log.ts";

type Message = { change: MemoryChange } | { mark: number };

interface Subscriber {
  filter: ChangeFilter;
  handlers: ChangeHandlers;
  /** Messages that are sent, and not yet delivered. */
  inFlight: Message[];
}

/**
 * A change stream over a MemoryLog whose messages arrive under the test's control, in any order,
 * repeatedly or incompletely.
 */
export class MemoryBus implements ChangeStream {
  readonly #log: MemoryLog;
  readonly #subscribers = new Set<Subscriber>();
  historyId = "history-1";
  /** Subscriptions are refused while this is set. */
  isDown = false;
  /** Objects are left out of messages, like Secrets. */
  withObjects = true;

  constructor(log: MemoryLog) {
    this.#log = log;
    log.subscribe((change) => {
      for (const subscriber of this.#subscribers) {
        if (concerns(subscriber.filter, change)) subscriber.inFlight.push({ change });
      }
    });
  }

  subscribe(filter: ChangeFilter, handlers: ChangeHandlers, signal: AbortSignal): Promise<void> {
    if (this.isDown) return Promise.reject(new Error("no bus"));
    const subscriber: Subscriber = { filter, handlers, inFlight: [] };
    this.#subscribers.add(subscriber);
    signal.addEventListener("abort", () => this.#subscribers.delete(subscriber), { once: true });
    return Promise.resolve();
  }

  get subscriptions(): number {
    return this.#subscribers.size;
  }

  /** Sends the relay's mark to the followers of a whole resource. */
  mark(): void {
    for (const subscriber of this.#subscribers) {
      if (subscriber.filter.nodeName !== undefined) continue;
      subscriber.inFlight.push({ mark: this.#log.lastRevisionOf(subscriber.filter.resource) });
    }
  }

  /** Delivers everything in order. */
  deliverAll(): void {
    for (const subscriber of this.#subscribers) {
      for (const message of subscriber.inFlight.splice(0)) this.#hand(subscriber, message);
    }
  }

  /**
   * Passes the messages in flight of each subscriber to `pick`, and delivers the messages that
   * `pick` returns, in the returned order.
   */
  deliver(pick: (messages: unknown[]) => unknown[]): void {
    for (const subscriber of this.#subscribers) {
      for (const message of pick(subscriber.inFlight)) this.#hand(subscriber, message as Message);
    }
  }

  /** Drops the messages in flight silently. */
  drop(): void {
    for (const subscriber of this.#subscribers) subscriber.inFlight = [];
  }

  /** Disconnects every subscriber. */
  interrupt(): void {
    for (const subscriber of this.#subscribers) {
      subscriber.inFlight = [];
      subscriber.handlers.onInterrupted("cut");
    }
  }

  #hand({ filter, handlers }: Subscriber, message: Message): void {
    if ("mark" in message) {
      handlers.onMark({ historyId: this.historyId, revision: message.mark });
      return;
    }
    const byNode = filter.nodeName !== undefined;
    handlers.onChange(envelopeOf(message.change, { historyId: this.historyId, byNode, withObject: this.withObjects }));
  }
}

function concerns(filter: ChangeFilter, change: MemoryChange): boolean {
  if (filter.resource !== change.resource) return false;
  return filter.nodeName === undefined || nodeOf(change.resource, change.object) === filter.nodeName;
}
