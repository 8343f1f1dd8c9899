import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { BusDenied } from "../bus.ts";
import { describeBusContract } from "../testing/bus-contract.ts";
import { MemoryBus } from "./memory-bus.ts";

describeBusContract("MemoryBus", async () => {
  const server = new MemoryBus();
  return {
    publisher: server.connect("publisher"),
    subscriber: server.connect("subscriber"),
    interrupt: async () => server.stop(),
    restore: async () => server.start(),
    settle: () => new VirtualClock().settle(),
    [Symbol.asyncDispose]: async () => {},
  };
});

function openBus() {
  const clock = new VirtualClock();
  const server = new MemoryBus({ clock });
  const publisher = server.connect("publisher");
  const subscriber = server.connect("subscriber");
  const heard: string[] = [];
  const handlers = {
    onMessage: (_: string, payload: Uint8Array) => heard.push(Buffer.from(payload).toString()),
    onInterrupted: (reason: string) => heard.push(reason),
  };
  const publish = (text: string) => publisher.publish("a", Buffer.from(text));
  return { clock, server, publisher, subscriber, heard, handlers, publish, signal: new AbortController().signal };
}

test("messages can be dropped, duplicated, delayed and reordered", async () => {
  const { clock, server, subscriber, heard, handlers, publish, signal } = openBus();
  await subscriber.subscribe("a", handlers, signal);
  const fates = { lost: "drop", twice: "duplicate", late: { delayMs: 100 } } as const;
  server.setFate(({ payload }) => fates[Buffer.from(payload).toString() as keyof typeof fates] ?? "deliver");
  for (const text of ["late", "lost", "twice", "plain"]) publish(text);
  await clock.settle();
  expect(heard).toEqual(["twice", "twice", "plain"]);
  await clock.advance(100);
  expect(heard).toEqual(["twice", "twice", "plain", "late"]);
});

test("a reset loses messages in flight", async () => {
  const { clock, subscriber, heard, handlers, publish, signal } = openBus();
  await subscriber.subscribe("a", handlers, signal);
  publish("on its way");
  subscriber.reset();
  publish("after");
  await clock.settle();
  expect(heard).toEqual(["slow consumer", "reconnected", "after"]);
});

test("a client is denied subscriptions that the server does not permit", async () => {
  const { server, handlers, signal } = openBus();
  const restricted = server.connect("node-1", (filter) => filter === "a.node-1");
  await expect(restricted.subscribe("a.node-2", handlers, signal)).rejects.toThrow(BusDenied);
  await expect(restricted.subscribe("a.node-1", handlers, signal)).resolves.toBeUndefined();
});

test("a closed client is dropped and receives nothing, even when the server returns", async () => {
  const { clock, server, subscriber, heard, handlers, publish, signal } = openBus();
  await subscriber.subscribe("a", handlers, signal);
  subscriber.close("the process has ended");
  server.stop();
  server.start();
  publish("x");
  await clock.settle();
  expect(heard).toEqual(["the process has ended"]);
});

test("a subscription that begins or ends after a message under the same subject takes effect from then on", async () => {
  const { clock, subscriber, heard, handlers, publish } = openBus();
  publish("nobody");
  const first = new AbortController();
  await subscriber.subscribe("a", handlers, first.signal);
  publish("somebody");
  await clock.settle();
  first.abort();
  publish("nobody again");
  await clock.settle();
  expect(heard).toEqual(["somebody"]);
});
