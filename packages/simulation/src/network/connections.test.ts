import { expect, test } from "vitest";
import { Connections } from "./connections.ts";

const bytes = new Uint8Array(1);

/** A watch that sends one chunk and then stays open. */
async function* openWatch() {
  yield bytes;
  await new Promise<never>(() => {});
}

const carryWatch = (connections: Connections) => connections.carry(Promise.resolve({ body: openWatch() }));

test("a reset ends a watch that waits for its next chunk", async () => {
  const connections = new Connections();
  const { body } = await carryWatch(connections);
  expect(await body.next()).toEqual({ done: false, value: bytes });
  const next = body.next();
  connections.reset();
  await expect(next).rejects.toThrow("connection reset");
});

test("a reset ends a watch whose client is busy with a chunk", async () => {
  const connections = new Connections();
  const { body } = await carryWatch(connections);
  await body.next();
  connections.reset();
  await expect(body.next()).rejects.toThrow("connection reset");
});

test("a reset ends a watch that the client has not yet read", async () => {
  const connections = new Connections();
  const { body } = await carryWatch(connections);
  connections.reset();
  await expect(body.next()).rejects.toThrow("connection reset");
});

test("a reset leaves the connections of the next process open", async () => {
  const connections = new Connections();
  connections.reset();
  const { body } = await carryWatch(connections);
  expect(await body.next()).toEqual({ done: false, value: bytes });
});
