import type { ChangeFilter, ChangeHandlers, Logger } from "@kintsugi/api";
import { onAbort } from "@kintsugi/clock";
import type { Bus } from "./bus.ts";
import { type BusMessage, decodeMessage, markKey } from "./envelope.ts";
import { marksSubject } from "./subjects.ts";

type Handlers = Pick<ChangeHandlers, "onMark" | "onInterrupted">;

/**
 * One subscription to the marks of all resources while any of them has a follower, so that a
 * process reads each message once.
 */
export class MarksListener {
  readonly #deps: { bus: Bus; log: Logger; cluster: () => string };
  readonly #listeners = new Set<{ key: string; handlers: Handlers }>();
  /** The last message, because in a quiet cluster the next message is mostly the same. */
  #last: { payload: Uint8Array; message: BusMessage } | undefined;
  #subscription: { confirmed: Promise<void>; stop: AbortController } | undefined;

  constructor(deps: { bus: Bus; log: Logger; cluster: () => string }) {
    this.#deps = deps;
  }

  /**
   * Resolves when the server has confirmed the subscription to marks, which lasts until `signal`
   * aborts. The caller's own subscription reports a lost connection.
   * @throws as `Bus.subscribe`.
   */
  async listen({ group, resource }: ChangeFilter, handlers: Handlers, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const listener = { key: markKey(group, resource), handlers };
    this.#listeners.add(listener);
    const stopListening = onAbort(signal, () => this.#leave(listener));
    try {
      await (this.#subscription ??= this.#subscribe()).confirmed;
    } catch (error) {
      stopListening();
      this.#leave(listener);
      throw error;
    }
  }

  #subscribe(): { confirmed: Promise<void>; stop: AbortController } {
    const { bus, cluster } = this.#deps;
    const stop = new AbortController();
    const onMessage = (_: string, payload: Uint8Array) => this.#hear(payload);
    const confirmed = bus.subscribe(marksSubject(cluster()), { onMessage, onInterrupted: () => {} }, stop.signal);
    return { confirmed, stop };
  }

  #leave(listener: { key: string; handlers: Handlers }): void {
    if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
    this.#subscription?.stop.abort(new Error("all followers have ended"));
    this.#subscription = undefined;
  }

  #hear(payload: Uint8Array): void {
    // Listeners may be added or removed during the calls.
    const listeners = [...this.#listeners];
    try {
      const message = this.#read(payload);
      if (message.type !== "marks") return;
      const { historyId, revisions } = message;
      for (const { key, handlers } of listeners) {
        const revision = revisions[key];
        if (revision !== undefined) handlers.onMark({ historyId, revision });
      }
    } catch (error) {
      this.#deps.log.warn("unreadable message on the bus", { subject: marksSubject(this.#deps.cluster()), error });
      for (const { handlers } of listeners) handlers.onInterrupted("a message could not be read");
    }
  }

  /** @throws MalformedMessage. */
  #read(payload: Uint8Array): BusMessage {
    if (this.#last === undefined || Buffer.compare(this.#last.payload, payload) !== 0)
      this.#last = { payload: Buffer.from(payload), message: decodeMessage(payload) };
    return this.#last.message;
  }
}
