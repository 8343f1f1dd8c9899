import { Writable } from "node:stream";
import { systemClock } from "@kintsugi/clock";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { stallTimeoutMs, writeBody } from "./write-body.ts";

/** Holds back each piece until the test reads it. */
class SlowReader extends Writable {
  readonly held: { piece: Buffer; take: () => void }[] = [];

  constructor() {
    super({ highWaterMark: 1 });
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, take: () => void): void {
    this.held.push({ piece, take });
  }
}

const turn = () => systemClock.nextTurn();

async function* endless(state: { given: number }): AsyncGenerator<Uint8Array> {
  for (;;) {
    state.given++;
    yield Buffer.alloc(1024);
  }
}

test("the next chunk of a stream is requested after the reader has taken the last", async () => {
  const clock = new VirtualClock();
  const reader = new SlowReader();
  const state = { given: 0 };
  const written = writeBody(reader, endless(state), { clock, stallMs: stallTimeoutMs });
  for (let taken = 0; taken < 3; taken++) {
    await turn();
    expect(state.given).toBe(taken + 1);
    reader.held[taken]?.take();
  }
  reader.destroy();
  await written;
});

test("a reader that does not read for a minute is disconnected, and a reader that reads a chunk a minute is not", async () => {
  const clock = new VirtualClock();
  const reader = new SlowReader();
  const written = writeBody(reader, endless({ given: 0 }), { clock, stallMs: stallTimeoutMs });
  for (let taken = 0; taken < 3; taken++) {
    await turn();
    await clock.advance(stallTimeoutMs - 1);
    expect(reader.destroyed).toBe(false);
    reader.held[taken]?.take();
  }
  await turn();
  await clock.advance(stallTimeoutMs);
  expect(reader.destroyed).toBe(true);
  await written;
});

test("a large response in memory is sent in chunks, and its end is awaited", async () => {
  const clock = new VirtualClock();
  const reader = new SlowReader();
  const body = Buffer.alloc(2.5 * 2 ** 20, 7);
  let isWritten = false;
  const written = writeBody(reader, body, { clock, stallMs: stallTimeoutMs }).then(() => (isWritten = true));
  for (let taken = 0; taken < 3; taken++) {
    await turn();
    expect(reader.held).toHaveLength(taken + 1);
    expect(isWritten).toBe(false);
    reader.held[taken]?.take();
  }
  await written;
  expect(Buffer.concat(reader.held.map(({ piece }) => piece)).equals(body)).toBe(true);
});

test("listeners do not accumulate while a reader is slow", async () => {
  const reader = new SlowReader();
  const written = writeBody(reader, endless({ given: 0 }), { clock: new VirtualClock(), stallMs: stallTimeoutMs });
  for (let taken = 0; taken < 20; taken++) {
    await turn();
    reader.held[taken]?.take();
  }
  await turn();
  expect(reader.listenerCount("close") + reader.listenerCount("drain")).toBeLessThanOrEqual(2);
  reader.destroy();
  await written;
});
