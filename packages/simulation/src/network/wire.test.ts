import type { HandlerRequest } from "@kintsugi/client";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { Incarnation } from "../process/incarnation.ts";
import { connectTo, Wire } from "./wire.ts";

const request: HandlerRequest = {
  method: "GET",
  path: "/version",
  headers: {},
  identity: { name: "somebody", groups: [] },
  signal: new AbortController().signal,
};

function openLine() {
  const clock = new VirtualClock();
  const wire = new Wire();
  const incarnation = new Incarnation();
  let arrived = 0;
  const server = {
    handle: async () => {
      arrived++;
      return { status: 200, headers: {}, body: new Uint8Array() };
    },
  };
  const line = connectTo({ server, clock, wire, incarnation, latency: () => undefined });
  const said: string[] = [];
  const ask = () => {
    void line.handle(request).then(
      ({ status }) => said.push(String(status)),
      (error: Error) => said.push(error.message),
    );
    return clock.settle();
  };
  return { clock, wire, incarnation, ask, said, arrived: () => arrived };
}

test("a message over an outgoing cut does not arrive, and its sender gets an error when the line is restored", async () => {
  const { clock, wire, ask, said, arrived } = openLine();
  wire.out.cut();
  await ask();
  expect([arrived(), said]).toEqual([0, []]);
  wire.heal();
  await clock.settle();
  expect(said).toEqual(["connection reset"]);
});

test("a message over an incoming cut is executed, and its response is lost", async () => {
  const { clock, wire, ask, said, arrived } = openLine();
  wire.in.cut();
  await ask();
  expect([arrived(), said]).toEqual([1, []]);
  wire.heal();
  await clock.settle();
  expect(said).toEqual(["connection reset"]);
});

test("network impairments lose and delay messages, and end", async () => {
  const { clock, wire, ask, said, arrived } = openLine();
  const clear = wire.impairments.add(({ direction }) => (direction === "out" ? { delayMs: 100 } : undefined));
  const lose = wire.impairments.add(({ direction }) => (direction === "in" ? "lost" : undefined));
  await ask();
  await clock.advance(100);
  expect([arrived(), said]).toEqual([1, []]);
  lose();
  clear();
  await ask();
  expect([arrived(), said]).toEqual([2, ["200"]]);
});

test("a paused process receives a response when it continues, and an ended process never receives it", async () => {
  const { clock, incarnation, ask, said } = openLine();
  incarnation.pause();
  await ask();
  expect(said).toEqual([]);
  incarnation.resume();
  await clock.settle();
  expect(said).toEqual(["200"]);
  incarnation.end();
  await ask();
  expect(said).toEqual(["200"]);
});
