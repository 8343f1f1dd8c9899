import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConnectionCut } from "../connections/connection-cut.ts";
import { linkPair } from "../../testing/link-pair.ts";
import type { Link } from "./link.ts";

let owner: Link;
let worker: Link;
beforeEach(async () => {
  ({ owner, worker } = await linkPair());
});
afterEach(() => {
  owner.close();
  worker.close();
});

const piece = Buffer.alloc(16 * 1024, "x");
/** A page of a list is sent in pieces of this length. */
const largePiece = Buffer.alloc(256 * 1024, "x");
/** The bytes that both processes together may store for a reader that does not read. */
const heldBytesMax = 2 * 2 ** 20;

test.each([
  ["small", piece],
  ["large", largePiece],
])("a reader that does not read %s pieces stops its sender, and another stream continues", async (_, piece) => {
  const [sending, receiving] = [owner.stream(1), worker.stream(1)];
  let written = 0;
  while (written < heldBytesMax) {
    if (!sending.write(piece)) {
      const stalled = sleep(200, "stalled");
      if ((await Promise.race([sending.untilDrained(), stalled])) === "stalled") break;
    }
    written += piece.byteLength;
  }
  expect(written).toBeLessThan(heldBytesMax);
  const other = worker.stream(2);
  owner.stream(2).end("hello");
  expect(String((await other.iterator().next()).value)).toBe("hello");
  let read = 0;
  sending.end();
  for await (const bytes of receiving) read += (bytes as Buffer).byteLength;
  expect(read).toBeGreaterThanOrEqual(written);
});

test("pieces of all lengths arrive as they were sent, in both directions", async () => {
  const lengths = [1, 300_000, 5, 1_000_000, 70_000];
  const received: number[] = [];
  const [sending, receiving] = [owner.stream(1), worker.stream(1)];
  receiving.end("done");
  const sent = (async () => {
    for (const length of lengths) if (!sending.write(Buffer.alloc(length))) await sending.untilDrained();
    sending.end();
  })();
  for await (const bytes of receiving) received.push((bytes as Buffer).byteLength);
  await sent;
  expect(received).toEqual(lengths);
  expect(String((await sending.iterator().next()).value)).toBe("done");
});

test("a reader that ends early ends its sender", async () => {
  const [sending, receiving] = [owner.stream(1), worker.stream(1)];
  sending.write(piece);
  for await (const _ of receiving) break;
  await sending.untilDrained();
  expect(sending.destroyed).toBe(true);
});

test("a stream that fails is not complete for its reader", async () => {
  const [sending, receiving] = [owner.stream(1), worker.stream(1)];
  sending.write("half");
  const read = (async () => {
    for await (const bytes of receiving) if (String(bytes) === "half") sending.destroy(new Error("the node has gone"));
  })();
  await expect(read).rejects.toThrow("the node has gone");
});

test("a reader that is slow gets all bytes of a sender that has ended and closed", async () => {
  const [sending, receiving] = [owner.stream(1), worker.stream(1)];
  for (let i = 0; i < 8; i++) sending.write(piece);
  // The function `relay` does this when the connection to a kubelet has closed.
  sending.end(() => sending.destroy());
  await sleep(50);
  let read = 0;
  for await (const bytes of receiving) read += (bytes as Buffer).byteLength;
  expect(read).toBe(8 * piece.byteLength);
  await sleep(20);
  expect([owner.openStream(1), worker.openStream(1)]).toEqual([undefined, undefined]);
});

test("a reader that is slow gets the bytes before a failure, and then the failure", async () => {
  const [sending, receiving] = [owner.stream(1), worker.stream(1)];
  for (let i = 0; i < 8; i++) sending.write(piece);
  await sleep(50);
  sending.destroy(new Error("the node has gone"));
  await sleep(50);
  let read = 0;
  const all = (async () => {
    for await (const bytes of receiving) read += (bytes as Buffer).byteLength;
  })();
  await expect(all).rejects.toThrow("the node has gone");
  expect(read).toBe(8 * piece.byteLength);
});

test("the end of a process breaks its streams", async () => {
  const receiving = worker.stream(1);
  const closed = worker.closed;
  owner.close();
  await closed;
  await expect(receiving.iterator().next()).rejects.toBeInstanceOf(ConnectionCut);
  await expect(worker.closed).resolves.toBeUndefined();
});

test("a process that ends its link has sent what it wrote before", async () => {
  const [sending, receiving] = [owner.stream(1), worker.stream(1)];
  sending.end("last");
  owner.end();
  const read: string[] = [];
  for await (const bytes of receiving) read.push(String(bytes));
  expect(read).toEqual(["last"]);
  await worker.closed;
});

test("a stream that has ended in both directions is forgotten", async () => {
  const [sending, receiving] = [owner.stream(1), worker.stream(1)];
  sending.end("a");
  receiving.end("b");
  for await (const _ of receiving);
  for await (const _ of sending);
  await nextTurn();
  expect([owner.openStream(1), worker.openStream(1)]).toEqual([undefined, undefined]);
});
