import { describe, expect, test } from "vitest";
import { type Bus, BusUnavailable } from "../bus.ts";

/** A bus under test with two clients, and ways to disturb it. */
export interface BusUnderTest extends AsyncDisposable {
  publisher: Bus;
  subscriber: Bus;
  /** Stops the server; resolves when both clients have detected that. */
  interrupt(): Promise<void>;
  /** Starts the server again; resolves when both clients are connected again. */
  restore(): Promise<void>;
  /**
   * Resolves when all messages published so far, and no others, have been delivered to the
   * subscribers.
   */
  settle(): Promise<void>;
}

/** The contract of every bus. */
export function describeBusContract(name: string, open: () => Promise<BusUnderTest>): void {
  const text = (payload: Uint8Array) => Buffer.from(payload).toString("utf8");
  const bytes = (payload: string) => Buffer.from(payload, "utf8");

  function recorder() {
    const heard: string[] = [];
    const handlers = {
      onMessage: (subject: string, payload: Uint8Array) => heard.push(`${subject} ${text(payload)}`),
      onInterrupted: () => heard.push("interrupted"),
    };
    return { heard, handlers };
  }

  describe(`${name} keeps the bus contract`, () => {
    test("a subscriber receives the messages of its filter in publishing order", async () => {
      await using bus = await open();
      const { heard, handlers } = recorder();
      await bus.subscriber.subscribe("lab.watch.core.pods.>", handlers, new AbortController().signal);
      for (let i = 0; i < 5; i++) {
        bus.publisher.publish(`lab.watch.core.pods._.default.p${i}`, bytes(String(i)));
        bus.publisher.publish(`lab.watch.core.nodes.p${i}._.p${i}`, bytes("other"));
      }
      bus.publisher.publish("lab.watch.core.pods.mark", bytes("mark"));
      await bus.settle();
      const pods = Array.from({ length: 5 }, (_, i) => `lab.watch.core.pods._.default.p${i} ${i}`);
      expect(heard).toEqual([...pods, "lab.watch.core.pods.mark mark"]);
    });

    test("a star matches exactly one token", async () => {
      await using bus = await open();
      const { heard, handlers } = recorder();
      await bus.subscriber.subscribe("a.*.c", handlers, new AbortController().signal);
      for (const subject of ["a.b.c", "a.c", "a.b.b.c", "a.b.c.d", "a.x.c"]) bus.publisher.publish(subject, bytes("m"));
      await bus.settle();
      expect(heard).toEqual(["a.b.c m", "a.x.c m"]);
    });

    test("a resolved subscription receives every later message, and an aborted subscription receives nothing more", async () => {
      await using bus = await open();
      const { heard, handlers } = recorder();
      const stop = new AbortController();
      await bus.subscriber.subscribe("a.>", handlers, stop.signal);
      bus.publisher.publish("a.b", bytes("1"));
      await bus.settle();
      stop.abort();
      bus.publisher.publish("a.b", bytes("2"));
      await bus.settle();
      expect(heard).toEqual(["a.b 1"]);
    });

    test("a subscription with an aborted signal is not made", async () => {
      await using bus = await open();
      const reason = new Error("stop");
      await expect(bus.subscriber.subscribe("a.>", recorder().handlers, AbortSignal.abort(reason))).rejects.toBe(
        reason,
      );
    });

    test("a client does not receive its own messages", async () => {
      await using bus = await open();
      const { heard, handlers } = recorder();
      await bus.publisher.subscribe("a.>", handlers, new AbortController().signal);
      bus.publisher.publish("a.b", bytes("1"));
      await bus.settle();
      expect(heard).toEqual([]);
    });

    test("two subscriptions with the same filter both receive messages", async () => {
      await using bus = await open();
      const first = recorder();
      const second = recorder();
      const stop = new AbortController();
      await bus.subscriber.subscribe("a.b", first.handlers, stop.signal);
      await bus.subscriber.subscribe("a.b", second.handlers, new AbortController().signal);
      bus.publisher.publish("a.b", bytes("1"));
      await bus.settle();
      stop.abort();
      bus.publisher.publish("a.b", bytes("2"));
      await bus.settle();
      expect([first.heard, second.heard]).toEqual([["a.b 1"], ["a.b 1", "a.b 2"]]);
    });

    test("binary payloads arrive unchanged, including an empty payload", async () => {
      await using bus = await open();
      const payloads: Uint8Array[] = [];
      const onMessage = (_: string, payload: Uint8Array) => payloads.push(Uint8Array.from(payload));
      await bus.subscriber.subscribe("a.b", { onMessage, onInterrupted: () => {} }, new AbortController().signal);
      const sent = [Uint8Array.from([0, 13, 10, 255, 32]), new Uint8Array(0), new Uint8Array(300_000).fill(7)];
      for (const payload of sent) bus.publisher.publish("a.b", payload);
      await bus.settle();
      const differences = sent.map((payload, i) => Buffer.compare(payload, payloads[i] ?? bytes("missing")));
      expect(differences).toEqual([0, 0, 0]);
    });

    test("without a connection publishing, subscribing and flushing are errors", async () => {
      await using bus = await open();
      expect(bus.publisher.connected()).toBe(true);
      await bus.interrupt();
      expect(bus.publisher.connected()).toBe(false);
      expect(() => bus.publisher.publish("a.b", bytes("1"))).toThrow(BusUnavailable);
      await expect(bus.publisher.flush()).rejects.toThrow(BusUnavailable);
      const subscribing = bus.subscriber.subscribe("a.>", recorder().handlers, new AbortController().signal);
      await expect(subscribing).rejects.toThrow(BusUnavailable);
    });

    test("a subscription outlives a lost connection and reports two interruptions", async () => {
      await using bus = await open();
      const { heard, handlers } = recorder();
      const statuses: boolean[] = [];
      bus.subscriber.onStatus((status) => statuses.push(status.connected));
      await bus.subscriber.subscribe("a.>", handlers, new AbortController().signal);
      await bus.interrupt();
      expect(heard).toEqual(["interrupted"]);
      await bus.restore();
      bus.publisher.publish("a.b", bytes("back"));
      await bus.settle();
      expect(heard).toEqual(["interrupted", "interrupted", "a.b back"]);
      expect(statuses).toEqual([false, true]);
    });

    test("a subscription that is aborted while disconnected remains silent after the reconnection", async () => {
      await using bus = await open();
      const { heard, handlers } = recorder();
      const stop = new AbortController();
      await bus.subscriber.subscribe("a.>", handlers, stop.signal);
      await bus.interrupt();
      stop.abort();
      await bus.restore();
      bus.publisher.publish("a.b", bytes("1"));
      await bus.settle();
      expect(heard).toEqual(["interrupted"]);
    });
  });
}
