import { request as httpRequest } from "node:http";
import { PassThrough } from "node:stream";
import { SeededRandom } from "@kintsugi/clock/simulated";
import { dialUpgrade } from "@kintsugi/streaming";
import { forwardOnce } from "@kintsugi/streaming/testing";
import { expect, test } from "vitest";
import { answerTo, readInput, startFakeStreams } from "./streams.ts";

test("the input of a simulated command is stored up to a mebibyte, and the rest is read and discarded", async () => {
  const stdin = new PassThrough();
  const input = readInput(stdin);
  const part = Buffer.alloc(100_000, "a");
  for (let count = 0; count < 50; count++)
    if (!stdin.write(part)) await new Promise((resolve) => stdin.once("drain", resolve));
  stdin.end();
  expect((await input).length).toBe(1024 * 1024);
});

test("a forwarded port returns its text once, to HTTP as a response, and other ports refuse", async () => {
  await using streams = await startFakeStreams({ random: new SeededRandom(1) });
  const ask = (port: number, text: string) =>
    forwardOnce(
      streams.openPortForward((each) => (each === 80 ? "hello" : undefined)),
      { port, text },
    );
  expect(await ask(80, "PING\n")).toEqual({ answer: "hello", error: "" });
  const { answer } = await ask(80, "GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*content-length: 5\r\n[\s\S]*\r\n\r\nhello$/);
  expect((await ask(81, "x")).error).toContain("connection refused");
});

test("text that is already a response is not changed, and HEAD gets no body", () => {
  const ready = "HTTP/1.1 503 Service Unavailable\r\n\r\n";
  expect(answerTo("GET / HTTP/1.1\r\n", ready)).toBe(ready);
  expect(answerTo("HEAD / HTTP/1.1\r\n", "hello").endsWith("\r\n\r\n")).toBe(true);
});

test("a client that offers several protocol versions gets one of them", async () => {
  await using streams = await startFakeStreams({ random: new SeededRandom(1) });
  const asked = { containerId: "c", stdin: false, stdout: true, stderr: true, tty: false };
  const url = streams.open("exec", asked, () => Promise.resolve(0));
  const offered = ["v4.channel.k8s.io", "v3.channel.k8s.io"];
  const headers = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": offered };
  const request = httpRequest(url, { method: "POST", headers, agent: false });
  const answer = await dialUpgrade(request, { signal: new AbortController().signal });
  if (!answer.upgraded) throw new Error("the runtime refuses");
  expect(answer.headers["x-stream-protocol-version"]).toBe("v4.channel.k8s.io");
  answer.socket.destroy();
});
