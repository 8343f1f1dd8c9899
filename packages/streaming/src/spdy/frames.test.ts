import { createDeflate, createInflate } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FrameReader, type SpdyFrame, FrameWriter } from "./frames.ts";
import { HeaderPacker, type SpdyHeaders, HeaderUnpacker } from "./header-block.ts";
import { headerDictionary } from "./header-dictionary.ts";
import { SpdyError } from "./spdy-error.ts";

const token = fc.stringMatching(/^[a-z0-9-]{1,20}$/);
const headers: fc.Arbitrary<SpdyHeaders> = fc.dictionary(
  token,
  fc.array(fc.stringMatching(/^[ -~]{0,40}$/), { minLength: 1, maxLength: 3 }),
);
const streamId = fc.integer({ min: 1, max: 0x7fff_ffff });
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const frame: fc.Arbitrary<SpdyFrame> = fc.oneof(
  fc.record({ type: fc.constantFrom("synStream", "synReply", "headers"), streamId, headers, fin: fc.boolean() }),
  fc.record({ type: fc.constant("rstStream"), streamId, status: fc.integer({ min: 1, max: 11 }) }),
  fc.record({ type: fc.constant("ping"), id: fc.integer({ min: 0, max: 0xffff_ffff }) }),
  fc.record({ type: fc.constant("goAway"), lastStreamId: streamId, status: fc.integer({ min: 0, max: 2 }) }),
  fc.record({ type: fc.constant("data"), streamId, bytes, fin: fc.boolean() }),
) as fc.Arbitrary<SpdyFrame>;

/** Data that arrived in pieces, joined, because the way it is cut has no meaning. */
function joined(frames: readonly SpdyFrame[]): SpdyFrame[] {
  const whole: SpdyFrame[] = [];
  let open: (SpdyFrame & { type: "data" }) | undefined;
  for (const each of frames) {
    if (each.type !== "data") whole.push(each);
    else {
      open = open === undefined ? { ...each } : { ...each, bytes: Buffer.concat([open.bytes, each.bytes]) };
    }
    if (open !== undefined && lengths.get(open.streamId) === open.bytes.byteLength) {
      whole.push(open);
      open = undefined;
    }
  }
  return whole;
}
const lengths = new Map<number, number>();

describe("frames", () => {
  test("are decoded as they were encoded, however their bytes are split", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(frame, { selector: (each) => ("streamId" in each ? each.streamId : each), maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
        (frames, sizes) => {
          lengths.clear();
          for (const each of frames) if (each.type === "data") lengths.set(each.streamId, each.bytes.byteLength);
          const writer = new FrameWriter();
          const wire = Buffer.concat(frames.map((each) => writer.encode(each)));
          const reader = new FrameReader();
          const read: SpdyFrame[] = [];
          for (let at = 0, turn = 0; at < wire.byteLength; turn++) {
            const size = sizes[turn % sizes.length] ?? 1;
            read.push(...reader.push(wire.subarray(at, at + size)));
            at += size;
          }
          expect(joined(read)).toEqual(frames);
        },
      ),
    );
  });

  test("that no valid peer sends result in an error and in no other effect", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.boolean(), (array, isControl) => {
        const noise = Buffer.from(array);
        if (isControl && noise.byteLength > 4) noise.writeUInt32BE(0x8003_0001 + ((noise[3] ?? 0) % 9), 0);
        expect(failureOf(() => new FrameReader().push(noise)) ?? new SpdyError("")).toBeInstanceOf(SpdyError);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["of another version", [0x80, 0x02, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1], "the peer does not speak SPDY/3"],
    ["that is too long", [0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff], "a control frame of 16777215 bytes is too long"],
    ["that is too short", [0x80, 3, 0, 3, 0, 0, 0, 4, 0, 0, 0, 1], "a control frame is too short"],
  ])("a control frame %s is rejected", (_, wire, message) => {
    expect(() => new FrameReader().push(Buffer.from(wire))).toThrow(message);
  });

  test("settings and window updates are skipped", () => {
    const settings = Buffer.from([0x80, 3, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0]);
    const window = Buffer.from([0x80, 3, 0, 9, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 1, 0]);
    const ping = new FrameWriter().encode({ type: "ping", id: 7 });
    expect(new FrameReader().push(Buffer.concat([settings, window, ping]))).toEqual([{ type: "ping", id: 7 }]);
  });
});

describe("headers", () => {
  test("the dictionary equals the specification's", () => {
    let [low, high] = [1, 0];
    for (const byte of headerDictionary) [low, high] = [(low + byte) % 65521, (high + ((low + byte) % 65521)) % 65521];
    expect(headerDictionary.byteLength).toBe(1423);
    expect((high * 65536 + low).toString(16)).toBe("e3c6a7c2");
  });

  test("any zlib implementation of the peer decodes them, block after block", async () => {
    const packer = new HeaderPacker();
    const unpacker = new HeaderUnpacker();
    const inflate = createInflate({ dictionary: headerDictionary });
    for (const [index, name] of ["error", "stdin", "stdout", "stderr"].entries()) {
      const block = packer.pack({ streamtype: [name], port: [String(index), "x".repeat(index)] });
      const plain = await through(inflate, block);
      expect(plain.toString("latin1")).toContain(`streamtype\0\0\0${String.fromCharCode(name.length)}${name}`);
      expect(unpacker.unpack(block)).toEqual({ streamtype: [name], port: [String(index), "x".repeat(index)] });
    }
  });

  test("they are decoded whichever zlib implementation compressed them, with or without the dictionary", async () => {
    for (const options of [{ dictionary: headerDictionary, level: 9 }, { level: 1 }]) {
      const deflate = createDeflate(options);
      const unpacker = new HeaderUnpacker();
      for (const value of ["error", "a value that is repeated", "a value that is repeated"]) {
        const block = pairs([["streamtype", value]]);
        expect(unpacker.unpack(await through(deflate, block))).toEqual({ streamtype: [value] });
      }
    }
  });

  test("that decompress beyond the limit are rejected", async () => {
    const bomb = await through(createDeflate({ dictionary: headerDictionary }), Buffer.alloc(1024 * 1024));
    expect(() => new HeaderUnpacker().unpack(bomb)).toThrow("headers cannot be unpacked");
  });

  test.each([
    [
      "twice the same",
      [
        ["a", "1"],
        ["a", "2"],
      ],
    ],
    ["not in lower case", [["A", "1"]]],
    ["without a name", [["", "1"]]],
  ] as [string, [string, string][]][])("a header %s is rejected", async (_, block) => {
    const packed = await through(createDeflate({ dictionary: headerDictionary }), pairs(block));
    expect(() => new HeaderUnpacker().unpack(packed)).toThrow(SpdyError);
  });
});

function pairs(all: readonly [string, string][]): Buffer {
  const text = (value: string) => Buffer.concat([number(value.length), Buffer.from(value)]);
  return Buffer.concat([number(all.length), ...all.flatMap(([name, value]) => [text(name), text(value)])]);
}

function number(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
}

/** Returns the output of a long-lived zlib stream for some bytes, flushed. */
function through(
  zlib: ReturnType<typeof createDeflate> | ReturnType<typeof createInflate>,
  input: Buffer,
): Promise<Buffer> {
  const output: Buffer[] = [];
  const collect = (chunk: Buffer) => output.push(chunk);
  zlib.on("data", collect);
  return new Promise((resolve) => {
    zlib.write(input, () =>
      zlib.flush(() => {
        zlib.off("data", collect);
        resolve(Buffer.concat(output));
      }),
    );
  });
}

function failureOf(act: () => unknown): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
}
