import { ApiError, type JsonValue } from "@kintsugi/api";
import { withinLimits } from "@kintsugi/api/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeCbor } from "./decode-cbor.ts";
import { cborBody, cborItem } from "./encode-cbor.ts";

const fault = "fault: ";
const decode = (hex: string, valuesMax?: number) => decodeCbor(Buffer.from(hex, "hex"), { fault, valuesMax });

/** The examples of RFC 8949, appendix A, as upstream decodes them. */
const examples: readonly (readonly [hex: string, value: JsonValue])[] = [
  ["00", 0],
  ["17", 23],
  ["1818", 24],
  ["1903e8", 1000],
  ["1a000f4240", 1_000_000],
  ["1b000000e8d4a51000", 1_000_000_000_000],
  ["20", -1],
  ["3863", -100],
  ["3903e7", -1000],
  ["f90000", 0],
  ["f93c00", 1],
  ["fb3ff199999999999a", 1.1],
  ["f97bff", 65504],
  ["fa47c35000", 100_000],
  ["fa7f7fffff", 3.4028234663852886e38],
  ["fb7e37e43c8800759c", 1e300],
  ["f90001", 5.960464477539063e-8],
  ["f9c400", -4],
  ["f4", false],
  ["f5", true],
  ["f6", null],
  ["c074323031332d30332d32315432303a30343a30305a", "2013-03-21T20:04:00Z"],
  ["c11a514b67b0", "2013-03-21T20:04:00Z"],
  ["c1fb41d452d9ec200000", "2013-03-21T20:04:00.5Z"],
  ["d74401020304", "01020304"],
  ["d818456449455446", "dIETF"],
  ["d82076687474703a2f2f7777772e6578616d706c652e636f6d", "http://www.example.com"],
  ["40", ""],
  ["4401020304", "\u0001\u0002\u0003\u0004"],
  ["60", ""],
  ["6449455446", "IETF"],
  ["62c3bc", "ü"],
  ["64f0908591", "𐅑"],
  ["80", []],
  ["8301820203820405", [1, [2, 3], [4, 5]]],
  ["a0", {}],
  ["a26161016162820203", { a: 1, b: [2, 3] }],
  ["a24161014162820203", { a: 1, b: [2, 3] }],
  ["5f42010243030405ff", "\u0001\u0002\u0003\u0004\u0005"],
  ["7f657374726561646d696e67ff", "streaming"],
  ["9fff", []],
  ["9f018202039f0405ffff", [1, [2, 3], [4, 5]]],
  ["83018202039f0405ff", [1, [2, 3], [4, 5]]],
  ["bf61610161629f0203ffff", { a: 1, b: [2, 3] }],
  ["bf6346756ef563416d7421ff", { Fun: true, Amt: -2 }],
];

test.each(examples)("%s is decoded as in upstream", (hex, value) => {
  expect(decode(hex)).toEqual(value);
  expect(decode(`d9d9f7${hex}`)).toEqual(value);
});

test("base64 fields are encoded as base64, wherever they are nested", () => {
  expect(decode("d643666f6f")).toBe("Zm9v");
  expect(decode("d5a1416142fbff")).toEqual({ a: "-_8" });
  expect(decode("d65f4166426f6fff")).toBe("Zm9v");
});

describe("a body is rejected", () => {
  test.each([
    ["that is empty", "", /unexpected end of the data/],
    ["with 64 bits too many for Go", "1bffffffffffffffff", /18446744073709551615 overflows Go's int64/],
    ["with a negative number that is too small", "3bffffffffffffffff", /overflows Go's int64/],
    ["with a big number", "c249010000000000000000", /integers of more than 64 bits are not supported/],
    ["with a big negative number", "c349010000000000000000", /integers of more than 64 bits are not supported/],
    ["with infinity", "f97c00", /Infinity values are not supported/],
    ["with NaN", "f97e00", /NaN values are not supported/],
    ["with NaN in 8 bytes", "fb7ff8000000000000", /NaN values are not supported/],
    ["with undefined", "f7", /undefined values are not supported/],
    ["with a simple value", "f0", /simple values are not supported/],
    ["with a simple value of two bytes", "f8ff", /simple values are not supported/],
    ["with numbers for keys", "a201020304", /a map key is neither a text string nor a byte string/],
    ["with a list for a key", "a18001", /a map key is neither a text string nor a byte string/],
    ["with a tagged key", "a1d6416101", /a map key is neither a text string nor a byte string/],
    ["with a key twice", "a2616101616102", /found duplicate map key "a" at map element index 1/],
    ["with a key twice, as text and as bytes", "bf616101416102ff", /found duplicate map key "a"/],
    ["with a key of the prototype", "a1695f5f70726f746f5f5fa0", /key "__proto__" that is not allowed/],
    ["with text that is not UTF-8", "61ff", /invalid UTF-8 string/],
    ["with bytes that are not UTF-8", "41ff", /invalid UTF-8 string/],
    ["with a part of text that is cut within a character", "7f61c361bcff", /invalid UTF-8 string/],
    ["with a text of bytes", "7f4161ff", /a part of another type/],
    ["with a text without a length inside another", "7f7f6161ffff", /a part of another type/],
    ["with more than one item", "0000", /1 bytes of extraneous data starting at index 1/],
    ["with a break alone", "ff", /unexpected break/],
    ["with a break instead of a value", "bf6161ff", /unexpected break/],
    ["with a break in a list that has a length", "8201ff", /unexpected break/],
    ["with a reserved length", "1c", /invalid minor/],
    ["with a number for a tagged text", "c001", /in the format of RFC 3339/],
    ["with a text for a tagged number", "c16161", /it is not a number/],
    ["with a time outside the years 1 to 9999", "c11b000fffffffffffff", /is outside the years 1 to 9999/],
  ])("%s", (_what, hex, message) => {
    expect(() => decode(hex)).toThrow(message);
    expect(() => decode(hex)).toThrow(/^fault: cbor: /);
  });

  test("beyond upstream's limits and beyond the server's own limit of values", () => {
    const nested = (levels: number) => `${"81".repeat(levels)}00`;
    expect(decode(`d9d9f7${nested(64)}`)).toHaveLength(1);
    expect(() => decode(nested(65))).toThrow(/exceeded max nested level 64/);
    expect(() => decode(`${"c6".repeat(100_000)}00`)).toThrow(/exceeded max nested level 64/);
    expect(() => decode(`${"9f".repeat(100_000)}`)).toThrow(/exceeded max nested level 64/);
    expect(decode(`990400${"00".repeat(1024)}`)).toHaveLength(1024);
    expect(() => decode(`990401${"00".repeat(1025)}`)).toThrow(/exceeded max number of elements 1024 for CBOR array/);
    expect(() => decode(`9f${"00".repeat(1025)}ff`)).toThrow(/exceeded max number of elements 1024 for CBOR array/);
    const pairs = Array.from({ length: 1025 }, (_, i) => `64${Buffer.from(String(1000 + i)).toString("hex")}00`).join(
      "",
    );
    expect(() => decode(`bf${pairs}ff`)).toThrow(/exceeded max number of key-value pairs 1024 for CBOR map/);
    expect(() => decode(`82${`82${"00".repeat(2)}`.repeat(2)}`, 6)).toThrow(/holds more than 6 values/);
    expect(() => decode(`7f${"60".repeat(30_000)}ff`)).toThrow(/holds more than 20000 values/);
  });

  test.each(["5b", "7b", "9b", "bb"])(
    "that claims 2^63 parts in nine bytes, without allocating memory (%s)",
    (head) => {
      const before = process.memoryUsage().arrayBuffers;
      expect(() => decode(`${head}8000000000000000`)).toThrow(/^fault: cbor: /);
      expect(() => decode(`${head}000fffffffffffff`)).toThrow(/^fault: cbor: /);
      expect(() => decode(`${head.replace("b", "a")}ffffffff`)).toThrow(/^fault: cbor: /);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
    },
  );
});

/** JSON values within the limits. Text has no lone surrogates, which cannot be encoded in UTF-8. */
const jsonValue = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 8 }),
    fc
      .dictionary(
        fc.string({ unit: "binary" }).filter((key) => key !== "__proto__"),
        tie("value"),
        { maxKeys: 8 },
      )
      .map((object) => ({ ...object })),
  ),
})).value;

test("an encoded value is decoded to the same value", () => {
  fc.assert(
    fc.property(
      jsonValue,
      withinLimits((value) => {
        expect(decodeCbor(cborBody(value), { fault })).toEqual(value);
      }),
    ),
  );
});

test("a body that is cut anywhere or has any byte changed is either rejected or decoded", () => {
  fc.assert(
    fc.property(
      jsonValue,
      fc.nat(),
      fc.integer({ min: 0, max: 255 }),
      withinLimits((value, place, byte) => {
        const whole = cborItem(value);
        const cut = whole.subarray(0, place % whole.byteLength);
        expect(() => decodeCbor(cut, { fault })).toThrow(/^fault: cbor: /);
        const changed = Uint8Array.from(whole);
        changed[place % whole.byteLength] = byte;
        expect(["read", "BadRequest"]).toContain(outcomeOf(changed));
      }),
    ),
  );
});

test("any bytes are either rejected or decoded", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 64 }),
      withinLimits((bytes) => {
        expect(["read", "BadRequest"]).toContain(outcomeOf(bytes));
      }),
    ),
    { numRuns: 2000 },
  );
});

function outcomeOf(bytes: Uint8Array): unknown {
  try {
    JSON.stringify(decodeCbor(bytes, { fault }));
    return "read";
  } catch (error) {
    return error instanceof ApiError ? error.reason : error;
  }
}
