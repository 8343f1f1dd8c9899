import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { digestFromHex, digestOf, DigestSum, digestToHex, digestZero } from "./digest.ts";

const hex = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString("hex"));

test("a digest is the first half of SHA-256", () => {
  const bytes = Buffer.from("kintsugi");
  expect(digestToHex(digestOf(bytes))).toBe(createHash("sha256").update(bytes).digest("hex").slice(0, 32));
});

test("sums are those of whole numbers modulo 2^128, and subtracting undoes adding", () => {
  fc.assert(
    fc.property(fc.array(hex, { maxLength: 8 }), hex, (added, removed) => {
      const sum = new DigestSum();
      let expected = 0n;
      for (const digest of added) {
        sum.add(digestFromHex(digest));
        expected += BigInt(`0x${digest}`);
      }
      expect(BigInt(`0x${digestToHex(sum.toDigest())}`)).toBe(BigInt.asUintN(128, expected));
      sum.subtract(digestFromHex(removed));
      expect(BigInt(`0x${digestToHex(sum.toDigest())}`)).toBe(BigInt.asUintN(128, expected - BigInt(`0x${removed}`)));
    }),
  );
  expect(new DigestSum().toDigest()).toBe(digestZero);
});
