import fc from "fast-check";
import { expect, test } from "vitest";
import { Arena } from "./arena.ts";
import { type Base, baseKey, decodeBase, encodeBase } from "./base-record.ts";
import { digestFromHex } from "./digest.ts";
import { decodeRecord, encodeRecord, type LogRecord, recordKey } from "./record.ts";

// Records on a user's disk have to be readable forever, so these bytes change only together with
// the format number.

const previousHash = digestFromHex("000102030405060708090a0b0c0d0e0f");

test("a record has the documented layout", () => {
  const record: LogRecord = {
    type: "put",
    revision: 7,
    previousOfKey: 5,
    previousHash,
    key: "core/pods/default/a",
    index: { uid: "u1", labels: { app: "web" } },
    value: Buffer.from(`{"metadata":{"resourceVersion":"7"}}`),
  };
  const { bytes } = encodeRecord(record, new Arena());
  expect(bytes.toString("hex").match(/.{1,64}/g)).toMatchInlineSnapshot(`
    [
      "010100000000000000070000000000000005000102030405060708090a0b0c0d",
      "0e0f00130000002300000024636f72652f706f64732f64656661756c742f617b",
      "22756964223a227531222c226c6162656c73223a7b22617070223a2277656222",
      "7d7d7b226d65746164617461223a7b227265736f7572636556657273696f6e22",
      "3a2237227d7dc606848fe600e6f534acb0e7958597b1",
    ]
  `);
  expect(recordKey(7)).toBe("rev/0000000000000007");
});

test("a base record has the documented layout", () => {
  const base: Base = {
    floor: 4,
    historyStart: 0,
    hash: previousHash,
    count: 2,
    sum: previousHash,
    floors: new Map([["core/pods", 4]]),
  };
  const bytes = encodeBase(base);
  expect(bytes.toString("latin1", 1, bytes.length - 16)).toMatchInlineSnapshot(
    `"{"floor":4,"historyStart":0,"hash":"000102030405060708090a0b0c0d0e0f","count":2,"sum":"000102030405060708090a0b0c0d0e0f","floors":{"core/pods":4}}"`,
  );
  expect(bytes.toString("hex", bytes.length - 16)).toMatchInlineSnapshot(`"c63a723cec94a7029a9cab8bea45584f"`);
  expect(decodeBase(baseKey(4), bytes)).toEqual(base);
});

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 });

test("every record is decoded as it was encoded", { timeout: 60_000 }, () => {
  const arbitrary = fc.record({
    type: fc.constantFrom("put" as const, "delete" as const),
    revision: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    previousOfKey: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    previousHash: fc.constant(previousHash),
    key: text,
    index: fc.record({ uid: text, labels: fc.dictionary(text, text, { maxKeys: 3, noNullPrototype: true }) }),
    value: fc.uint8Array({ maxLength: 100_000, size: "+2" }).map((bytes) => Buffer.from(bytes)),
  });
  const arena = new Arena();
  fc.assert(
    fc.property(fc.array(arbitrary, { minLength: 1, maxLength: 5 }), (records) => {
      const encoded = records.map((record) => ({ record, ...encodeRecord(record, arena) }));
      for (const { record, bytes, hash } of encoded) {
        const read = decodeRecord(recordKey(record.revision), Buffer.from(bytes));
        expect(read).toEqual({ record, hash });
      }
      arena.reset();
    }),
    { numRuns: 200 },
  );
});

test("memory for a huge batch is released", () => {
  const arena = new Arena();
  const small = arena.take(10).fill(1);
  const huge = arena.take(5 * 2 ** 20).fill(2);
  expect([small[9], huge[0], small.buffer === huge.buffer]).toEqual([1, 2, false]);
  arena.reset();
  expect(arena.take(10).buffer.byteLength).toBeLessThanOrEqual(2 ** 20);
});
