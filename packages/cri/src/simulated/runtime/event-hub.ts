import type { RuntimeEvent } from "../../container-runtime.ts";

type ContainerEvent = Exclude<RuntimeEvent, { type: "connected" }>;

/**
 * Limit on waiting events, above the number that an active subscriber can have. Beyond it the
 * stream ends, and the subscriber relists.
 */
const waitingEventsMax = 10_000;

interface Subscriber {
  waiting: RuntimeEvent[];
  ended: boolean;
  wake: () => void;
}

/** Passes every event to every subscriber, in order. */
export class EventHub {
  readonly #subscribers = new Set<Subscriber>();

  publish(event: ContainerEvent): void {
    for (const subscriber of this.#subscribers) {
      subscriber.waiting.push(event);
      if (subscriber.waiting.length > waitingEventsMax) this.#end(subscriber);
      subscriber.wake();
    }
  }

  /** Ends every stream, as a runtime that disappears does. */
  disconnect(): void {
    for (const subscriber of this.#subscribers) this.#end(subscriber);
  }

  async *subscribe(signal: AbortSignal): AsyncGenerator<RuntimeEvent> {
    const subscriber: Subscriber = { waiting: [{ type: "connected" }], ended: signal.aborted, wake: () => {} };
    const onAbort = () => this.#end(subscriber);
    signal.addEventListener("abort", onAbort, { once: true });
    this.#subscribers.add(subscriber);
    try {
      while (!subscriber.ended) {
        const event = subscriber.waiting.shift();
        if (event) yield event;
        else await new Promise<void>((resolve) => (subscriber.wake = resolve));
      }
    } finally {
      this.#subscribers.delete(subscriber);
      signal.removeEventListener("abort", onAbort);
    }
  }

  #end(subscriber: Subscriber): void {
    subscriber.ended = true;
    subscriber.waiting = [];
    subscriber.wake();
  }
}
