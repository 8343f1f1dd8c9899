import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { duplexPair } from "../duplex-pair.ts";
import { SpdySession } from "./spdy-session.ts";
import type { SpdyStream } from "./spdy-stream.ts";

function connect(onStream?: (stream: SpdyStream) => void) {
  const [clientEnd, serverEnd] = duplexPair();
  const client = new SpdySession(clientEnd, { side: "client" });
  const server = new SpdySession(serverEnd, { side: "server", ...(onStream ? { onStream } : {}) });
  const ended = Promise.all([client.run(), server.run()]);
  return { client, server, clientEnd, serverEnd, ended };
}

test("a stream carries bytes in both directions, and each direction ends separately", async () => {
  const { client } = connect((stream) => {
    expect(stream.headers).toEqual({ streamtype: ["stdin"] });
    // Answers only when the whole question has arrived.
    let question = "";
    stream.on("data", (bytes: Buffer) => (question += bytes.toString()));
    stream.on("end", () => stream.end(question.toUpperCase()));
  });
  const stream = await client.openStream({ streamtype: ["stdin"] });
  stream.end("hello");
  expect(await text(stream)).toBe("HELLO");
});

test("streams do not mix, even if each is longer than a frame", async () => {
  const { client } = connect((stream) => stream.pipe(stream));
  const words = ["a", "b", "c"].map((letter) => letter.repeat(100_000));
  const streams = await Promise.all(words.map(() => client.openStream({})));
  streams.forEach((stream, index) => stream.end(words[index]));
  expect(await Promise.all(streams.map((stream) => text(stream)))).toEqual(words);
});

test("a peer that does not read blocks the writer instead of filling memory", async () => {
  let received: SpdyStream | undefined;
  const { client } = connect((stream) => (received = stream));
  const stream = await client.openStream({});
  let sentBytes = 0;
  const send = async () => {
    for (let turn = 0; turn < 100; turn++) {
      await new Promise((resolve) => stream.write(Buffer.alloc(64 * 1024), resolve));
      sentBytes += 64 * 1024;
    }
  };
  const sending = send();
  let before = -1;
  const hasStalled = () => {
    const isSame = sentBytes === before;
    before = sentBytes;
    return isSame;
  };
  await expect.poll(hasStalled).toBe(true);
  expect(sentBytes).toBeLessThan(1024 * 1024);
  received?.resume();
  await sending;
});

test("a stream that ends while its reader is behind does not block the others", async () => {
  const [clientEnd, near] = duplexPair();
  const [far, serverEnd] = duplexPair();
  const taken: SpdyStream[] = [];
  const client = new SpdySession(clientEnd, { side: "client" });
  const server = new SpdySession(serverEnd, { side: "server", onStream: (stream) => void taken.push(stream) });
  void Promise.all([client.run(), server.run()]);
  near.pipe(far);
  // A slow client reads several frames at the same time: the output, more than a stream buffers,
  // and its end.
  let held: Buffer[] | undefined;
  far.on("data", (bytes: Buffer) => (held === undefined ? near.write(bytes) : held.push(bytes)));
  const [output, outcome] = [await client.openStream({}), await client.openStream({})];
  const bytes = Buffer.alloc(40_000, "a");
  held = [];
  taken[0]?.end(bytes);
  // Two frames of data and an end frame, each with a header of 8 bytes.
  await expect.poll(() => Buffer.concat(held ?? []).byteLength).toBe(bytes.byteLength + 3 * 8);
  near.write(Buffer.concat(held));
  held = undefined;
  taken[1]?.end("done");
  // Its reader leaves the stream unchanged once it has ended.
  let readBytes = 0;
  output.on("data", (read: Buffer) => (readBytes += read.byteLength));
  expect(await text(outcome)).toBe("done");
  expect(readBytes).toBe(bytes.byteLength);
});

test("a stream that the peer rejects is closed", async () => {
  const { client } = connect();
  await expect(client.openStream({})).rejects.toThrow("the peer reset stream 1 (status 3)");
});

test("data from before a reset can still be read", async () => {
  const { client } = connect((stream) => {
    stream.write("all there is");
    stream.destroy();
  });
  expect(await text(await client.openStream({}))).toBe("all there is");
});

test("a lost connection breaks only unfinished streams", async () => {
  const streams: SpdyStream[] = [];
  const { client, serverEnd, ended } = connect((stream) => streams.push(stream));
  const [done, open] = [await client.openStream({}), await client.openStream({})];
  streams[0]?.end("done");
  await new Promise((resolve) => done.once("readable", resolve));
  serverEnd.destroy();
  await ended;
  expect(await text(done)).toBe("done");
  await expect(text(open)).rejects.toThrow("the connection was closed");
  await expect(client.openStream({})).rejects.toThrow("the connection was closed");
});

test("bytes that are not SPDY end the connection", async () => {
  const { client, serverEnd, ended } = connect();
  serverEnd.write(Buffer.from([0x80, 9, 0, 1, 0, 0, 0, 0]));
  serverEnd.end();
  await ended;
  await expect(client.openStream({})).rejects.toThrow("the peer does not speak SPDY/3");
});
