import fc from "fast-check";
import protobuf from "protobufjs";
import { expect, test } from "vitest";
import { decodeMessage, encodeMessage } from "./codec.ts";
import { parseProtos } from "./proto-text.ts";

const file = `
syntax = "proto3";
package test.v1;

message Outer {
  enum Mood { CALM = 0; WILD = 7; }
  string plain_text = 1;
  bytes raw = 2;
  bool is_set = 3;
  int32 signed = 4;
  uint32 unsigned = 5;
  int64 long_signed = 6;
  uint64 long_unsigned = 16;
  Mood mood = 17;
  Inner inner = 18;
  repeated string words = 19;
  repeated int64 longs = 20;
  repeated Inner inners = 21;
  map<string, string> labels = 2047;
}
message Inner { int32 port = 1; Outer.Mood mood = 2; Inner deeper = 3; }
message Newer { string plain_text = 1; Inner unknown_inner = 900; string unknown_text = 901; int32 unknown_number = 902; }
service Things {
  rpc Ask(Inner) returns (Outer);
  rpc Follow(Inner) returns (stream Outer);
}
`;
const protos = parseProtos([file]);
const typeOf = (name: string) => protos.messages.get(`test.v1.${name}`) ?? expect.fail(`no message ${name}`);
const theirs = protobuf.parse(file).root.lookupType("test.v1.Outer");
const theirForm = { defaults: true, longs: String, enums: String };

// Protobuf maps are plain objects here, which cannot have the key "__proto__".
const text = fc.string({ unit: "grapheme" }).filter((value) => value !== "__proto__");
const int64 = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String);
const mood = fc.constantFrom("CALM", "WILD");
const { inner } = fc.letrec((tie) => ({
  inner: fc.record({
    port: fc.integer(),
    mood,
    deeper: fc.option(tie("inner"), { maxDepth: 3 }),
  }),
}));
const outer = fc.record({
  plainText: text,
  raw: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  isSet: fc.boolean(),
  signed: fc.integer(),
  unsigned: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  longSigned: int64,
  longUnsigned: fc.bigInt(0n, 2n ** 64n - 1n).map(String),
  mood,
  inner: fc.option(inner),
  words: fc.array(text),
  longs: fc.array(int64),
  inners: fc.array(inner),
  labels: fc.dictionary(text, text, { noNullPrototype: true }),
});

test("protobufjs decodes this codec's bytes, and this codec decodes protobufjs's bytes", () => {
  fc.assert(
    fc.property(outer, (message) => {
      const bytes = encodeMessage(typeOf("Outer"), message);
      expect(theirs.toObject(theirs.decode(bytes), theirForm)).toEqual(message);
      expect(decodeMessage(typeOf("Outer"), theirs.encode(theirs.fromObject(message)).finish())).toEqual(message);
    }),
  );
});

test("defaults are not encoded, except an empty message that is present", () => {
  const nothing = decodeMessage(typeOf("Outer"), Buffer.alloc(0));
  expect(nothing).toEqual(theirs.toObject(theirs.create(), theirForm));
  expect(encodeMessage(typeOf("Outer"), nothing)).toHaveLength(0);
  expect(encodeMessage(typeOf("Outer"), { inner: {} })).toEqual(Buffer.from([0x92, 0x01, 0x00]));
});

test("numbers of a list are decoded whether they are packed or have a tag each", () => {
  const packed = encodeMessage(typeOf("Outer"), { longs: ["5", "6"] });
  expect(packed).toEqual(Buffer.from([0xa2, 0x01, 0x02, 0x05, 0x06]));
  const apart = Buffer.from([0xa0, 0x01, 0x05, 0xa0, 0x01, 0x06]);
  expect(decodeMessage(typeOf("Outer"), apart)).toMatchObject({ longs: ["5", "6"] });
});

test("fields of a newer runtime are skipped, and an enum's unknown number remains a number", () => {
  const newer = { plainText: "a", unknownInner: { port: 1 }, unknownText: "b", unknownNumber: -1 };
  const read = decodeMessage(typeOf("Outer"), encodeMessage(typeOf("Newer"), newer));
  expect(read).toEqual({ ...decodeMessage(typeOf("Outer"), Buffer.alloc(0)), plainText: "a" });
  expect(decodeMessage(typeOf("Outer"), Buffer.from([0x88, 0x01, 0x05]))).toMatchObject({ mood: 5 });
});

test("truncated bytes and unknown enum words are rejected", () => {
  const bytes = encodeMessage(typeOf("Outer"), { inner: { port: 70_000 } });
  for (const missing of [1, 2, 3]) {
    expect(() => decodeMessage(typeOf("Outer"), bytes.subarray(0, -missing))).toThrow(RangeError);
  }
  expect(() => encodeMessage(typeOf("Outer"), { mood: "ANGRY" })).toThrow("ANGRY is a word of the enum");
});

test("a service's calls have their messages and streaming modes", () => {
  const calls = protos.services.get("test.v1.Things")?.map((call) => ({ ...call, response: call.response.fullName }));
  expect(calls).toMatchObject([
    { name: "Ask", response: "test.v1.Outer", responseStream: false },
    { name: "Follow", response: "test.v1.Outer", responseStream: true },
  ]);
});

test("protos with unsupported constructs are rejected", () => {
  const withBody = (body: string) => () => parseProtos([`package p; message M { ${body} }`]);
  expect(withBody("double d = 1;")).toThrow("double, which p.M uses, is defined");
  expect(withBody("oneof one { string a = 1; }")).toThrow("has = where it has {");
  expect(withBody("map<string, int32> numbers = 1;")).toThrow("has string where it has int32");
  expect(withBody("string a = 1; string b = 1;")).toThrow("p.M.b has a field number of its own");
});
