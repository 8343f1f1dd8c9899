import fc from "fast-check";
import { getEd25519Helper } from "nkeys.js/lib/helper.js";
import { expect, test } from "vitest";
import { createUser, fromPublic } from "./nkeys.ts";

// RFC 8032, section 7.1, test 3: another implementation's key and signature.
const seed = Buffer.from("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7", "hex");
const publicKey = Buffer.from("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "hex");
const message = Buffer.from("af82", "hex");
const signature = Buffer.from(
  "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
  "hex",
);

test("keys and signatures equal Ed25519's", () => {
  const helper = getEd25519Helper();
  const pair = helper.fromSeed(seed);
  expect(Buffer.from(pair.publicKey)).toEqual(publicKey);
  expect(Buffer.from(helper.sign(message, pair.secretKey))).toEqual(signature);
  expect(helper.verify(message, signature, publicKey)).toBe(true);
  expect(helper.verify(Buffer.from("af83", "hex"), signature, publicKey)).toBe(false);
});

test("a user's signature is verified only by its own public key", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array({ minLength: 1 }), (data, more) => {
      const user = createUser();
      const signed = user.sign(data);
      expect(fromPublic(user.getPublicKey()).verify(data, signed)).toBe(true);
      expect(fromPublic(user.getPublicKey()).verify(Buffer.concat([data, more]), signed)).toBe(false);
      expect(fromPublic(createUser().getPublicKey()).verify(data, signed)).toBe(false);
    }),
    { numRuns: 30 },
  );
});
