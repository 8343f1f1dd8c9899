import type { Delivery, Fate, MemoryBus, MemoryBusClient } from "@kintsugi/watch-stream/simulated";
import type { Bus } from "@kintsugi/watch-stream";
import type { Incarnation } from "../process/incarnation.ts";
import { Impairments } from "./impairments.ts";
import type { Wire } from "./wire.ts";

/** The longest time that any fault delays a message. */
export const busLateMaxMs = 3000;

interface Link {
  readonly client: MemoryBusClient;
  readonly wire: Wire;
}

/**
 * The bus as the cluster's processes reach it: it may be down, a process's wire may be cut, and
 * faults may apply to messages.
 */
export class BusLinks {
  readonly bus: MemoryBus;
  /** The fate of messages in flight to a subscriber. */
  readonly impairments = new Impairments<Delivery, Fate>();
  readonly #links = new Set<Link>();
  /** Called with every message, including messages without subscribers. */
  onMessage: ((payload: Uint8Array) => void) | undefined;
  #isAway = false;

  /** @param usual decides a message's fate if there is no fault. */
  constructor(bus: MemoryBus, usual: (delivery: Delivery) => Fate) {
    this.bus = bus;
    bus.setFate((delivery) => this.impairments.decide(delivery) ?? usual(delivery));
  }

  /** A connection for one incarnation of a process, over its machine's wire. */
  connect(name: string, { incarnation, wire }: { incarnation: Incarnation; wire: Wire }): Bus {
    const client = this.bus.connect(name);
    const link = { client, wire };
    this.#links.add(link);
    incarnation.onEnd(() => {
      this.#links.delete(link);
      client.close("the process has ended");
    });
    this.settle();
    return { ...heardBy(client, incarnation), publish: (subject, payload) => this.#publish(client, subject, payload) };
  }

  #publish(client: MemoryBusClient, subject: string, payload: Uint8Array): void {
    this.onMessage?.(payload);
    client.publish(subject, payload);
  }

  /** The server of the bus has ended, or has restarted without memory. */
  setAway(isAway: boolean): void {
    this.#isAway = isAway;
    this.settle();
  }

  /**
   * Loses the messages in flight to a process, as when the process reads too slowly.
   * @returns whether the process is connected.
   */
  reset(name: string): boolean {
    const links = [...this.#links].filter(({ client }) => client.name === name && client.connected());
    for (const { client } of links) client.reset();
    return links.length > 0;
  }

  /** Every connection is lost and restored at the same time. */
  resetAll(): void {
    for (const { client } of this.#links) if (client.connected()) client.reset("server restarted");
  }

  /** Connects every client that can connect; called when a wire was cut or healed. */
  settle(): void {
    for (const { client, wire } of this.#links) {
      if (this.#isAway) client.disconnect("server stopped");
      // A client that does not receive messages loses its connection; a client that cannot send
      // keeps its connection until the server's timeout.
      else if (wire.in.isCut) client.disconnect("partition");
      else client.reconnect();
    }
  }
}

/** Messages over the bus wait while the process is paused. */
function heardBy(client: MemoryBusClient, incarnation: Incarnation): Omit<Bus, "publish"> {
  return {
    subscribe: (filter, handlers, signal) => {
      const heard = {
        onMessage: (subject: string, payload: Uint8Array) =>
          incarnation.whenAwake(() => {
            if (!signal.aborted) handlers.onMessage(subject, payload);
          }),
        onInterrupted: (reason: string) => incarnation.whenAwake(() => handlers.onInterrupted(reason)),
      };
      return client.subscribe(filter, heard, signal);
    },
    flush: () => client.flush(),
    connected: () => client.connected(),
    onStatus: (listener) => client.onStatus((status) => incarnation.whenAwake(() => listener(status))),
  };
}
