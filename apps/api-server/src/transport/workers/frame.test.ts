import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type LinkFrame,
  frameHeader,
  LinkFrameReader,
  frameTypes,
  headAndBytes,
  payloadBytesMax,
  readHeadAndBytes,
} from "./frame.ts";

test("frames are read as they were written, however their bytes are cut", () => {
  const frames = fc.array(
    fc.record({
      type: fc.constantFrom(...Object.values(frameTypes)),
      request: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      payload: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    }),
    { maxLength: 20 },
  );
  const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 300 }));
  fc.assert(
    fc.property(frames, cuts, (sent, lengths) => {
      const bytes = Buffer.concat(
        sent.flatMap((frame) => [frameHeader(frame, frame.payload.byteLength), frame.payload]),
      );
      const received: LinkFrame[] = [];
      const reader = new LinkFrameReader((frame) => received.push({ ...frame, payload: Buffer.from(frame.payload) }));
      for (let at = 0; at < bytes.byteLength;) {
        const length = lengths.next().value ?? 1;
        reader.push(bytes.subarray(at, at + length));
        at += length;
      }
      expect(received).toEqual(sent);
    }),
  );
});

test("a frame that is too long is neither sent nor received", () => {
  const frame = { type: frameTypes.data, request: 1 };
  expect(() => frameHeader(frame, payloadBytesMax + 1)).toThrow(RangeError);
  const header = frameHeader(frame, 0);
  header.writeUInt32LE(payloadBytesMax + 1, 0);
  expect(() => new LinkFrameReader(() => {}).push(header)).toThrow("too long");
});

test.each([[undefined], [Buffer.from([0, 255, 10])]])("a head and its bytes %j are read again", (bytes) => {
  const head = { path: "/é", headers: { a: "b" } };
  const read = readHeadAndBytes(Buffer.concat(headAndBytes(head, bytes)));
  expect(read).toEqual({ head, bytes: bytes ?? Buffer.alloc(0) });
});
