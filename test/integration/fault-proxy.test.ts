import { createConnection, createServer, type AddressInfo, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { type FaultProxy, startFaultProxy } from "../support/servers/fault-proxy.ts";
import { eventually } from "../support/run-program.ts";

const everybody = () => true;

/** A server that answers every chunk with the same chunk, and a proxy before it. */
let proxy: FaultProxy;
let port: number;
let stop: () => void;

beforeEach(async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.pipe(socket);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const upstream = { host: "127.0.0.1", port: (server.address() as AddressInfo).port };
  port = await freePort();
  proxy = await startFaultProxy({ listen: [{ host: "127.0.0.1", port }], upstream: () => upstream });
  stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
});
afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  stop();
});

/** A client that records its received bytes and the end of its connection. */
async function client() {
  const socket = createConnection({ host: "127.0.0.1", port });
  const seen = { text: "", ended: "" };
  socket.on("data", (chunk: Buffer) => (seen.text += chunk.toString()));
  socket.on("error", (error: NodeJS.ErrnoException) => (seen.ended = error.code ?? "error"));
  // A refused connection may be reset before it is observed as open.
  await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
  return { seen, say: (text: string) => socket.write(text), close: () => socket.end() };
}

test("a healthy line carries all data in order, and its end", async () => {
  const one = await client();
  const text = "x".repeat(1_000_000);
  one.say(text);
  one.say("end");
  await eventually("all of it", async () => one.seen.text.length === text.length + 3);
  expect(one.seen.text).toBe(`${text}end`);
  one.close();
  await eventually("nobody is connected", async () => proxy.clients().length === 0);
});

test("a stuck line delivers the waiting data once it is repaired", async () => {
  const one = await client();
  proxy.setFault({ stuck: "toClient" }, everybody);
  one.say("late");
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(one.seen.text).toBe("");
  proxy.mend();
  await eventually("what waited", async () => one.seen.text === "late");
});

test("a delay applies to every byte equally and does not accumulate", async () => {
  const one = await client();
  proxy.setFault({ delayMs: 100 }, everybody);
  const startedMs = performance.now();
  for (let i = 0; i < 10; i++) {
    one.say(String(i));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await eventually("all of it", async () => one.seen.text === "0123456789");
  // The delay applies in both directions, and once for all chunks together.
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(200);
  expect(performance.now() - startedMs).toBeLessThan(1500);
});

test("a throttled line transfers at its rate", async () => {
  const one = await client();
  proxy.setFault({ bytesPerSecondMax: 10_000 }, everybody);
  const startedMs = performance.now();
  one.say("x".repeat(2000));
  await eventually("all of it", async () => one.seen.text.length === 2000);
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(200);
});

test("connections are cut in the middle of a response, immediately, or never accepted", async () => {
  const one = await client();
  proxy.setFault({ resetAfterBytes: 10 }, everybody);
  one.say("0123456789abc");
  await eventually("a reset", async () => one.seen.ended === "ECONNRESET");
  proxy.mend();
  const two = await client();
  two.say("two");
  await eventually("an answer", async () => two.seen.text === "two");
  expect(proxy.reset(everybody)).toBe(1);
  await eventually("a reset", async () => two.seen.ended === "ECONNRESET");
  proxy.setFault({ refuses: true }, everybody);
  const three = await client();
  await eventually("a reset", async () => three.seen.ended === "ECONNRESET");
});

test("a fault applies only to its targets", async () => {
  proxy.setFault({ stuck: "both" }, (address) => address !== "127.0.0.1");
  const one = await client();
  one.say("through");
  await eventually("an answer", async () => one.seen.text !== "");
  expect(one.seen.text).toBe("through");
});
