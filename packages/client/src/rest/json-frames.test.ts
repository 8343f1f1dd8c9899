import fc from "fast-check";
import { expect, test } from "vitest";
import { readJsonFrames } from "./json-frames.ts";

test("frames are returned whole, however the bytes are split", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.json()), fc.array(fc.nat(40)), async (values, cuts) => {
      const bytes = Buffer.from(values.map((value) => `${value}\n`).join(""));
      const frames = await collect(readJsonFrames(cut(bytes, cuts)));
      expect(frames).toEqual(values.map((value) => JSON.parse(value) as unknown));
    }),
  );
});

test("a stream that ends inside a frame is an error and not an end", async () => {
  await expect(collect(readJsonFrames(cut(Buffer.from('{"a":1}\n{"b"'), [])))).rejects.toThrow("inside a frame");
});

test("a frame without an end is rejected instead of buffered", async () => {
  const endless = (async function* () {
    for (;;) yield Buffer.alloc(1024 * 1024, 0x20);
  })();
  await expect(collect(readJsonFrames(endless))).rejects.toThrow("longer than");
});

test("reads only as far as requested", async () => {
  let read = 0;
  const source = (async function* () {
    for (let i = 0; i < 100; i++) {
      read++;
      yield Buffer.from(`${i}\n`);
    }
  })();
  for await (const frame of readJsonFrames(source)) if (frame === 2) break;
  expect(read).toBe(3);
});

async function* cut(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const length of cuts) {
    yield bytes.subarray(start, start + length);
    start += length;
  }
  yield bytes.subarray(Math.min(start, bytes.length));
}

async function collect(frames: AsyncIterable<unknown>): Promise<unknown[]> {
  const collected: unknown[] = [];
  for await (const frame of frames) collected.push(frame);
  return collected;
}
