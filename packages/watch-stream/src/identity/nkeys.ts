import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import * as library from "nkeys.js";
import { type Ed25519Helper, getEd25519Helper, setEd25519Helper } from "nkeys.js/lib/helper.js";

// The bytes before a raw Ed25519 key in the formats that node:crypto accepts (RFC 8410).
const privateKeyHead = Buffer.from("302e020100300506032b657004220420", "hex");
const publicKeyHead = Buffer.from("302a300506032b6570032100", "hex");
const keyBytes = 32;

/**
 * NATS's keys, with the signatures of node:crypto. The library's own implementation is in
 * JavaScript. In a process that has just started, each signature of the library takes 15 to 35 ms,
 * and every service begins by naming and proving its key.
 */
const native: Pick<Ed25519Helper, "fromSeed" | "sign" | "verify"> = {
  fromSeed(seed) {
    const publicKey = createPublicKey(privateKeyOf(seed)).export({ format: "der", type: "spki" }).subarray(-keyBytes);
    return { publicKey, secretKey: Buffer.concat([seed, publicKey]) };
  },
  sign: (data, secretKey) => sign(null, data, privateKeyOf(secretKey.subarray(0, keyBytes))),
  verify: (data, signature, publicKey) =>
    verify(
      null,
      data,
      createPublicKey({ key: Buffer.concat([publicKeyHead, publicKey]), format: "der", type: "spki" }),
      signature,
    ),
};
setEd25519Helper({ ...getEd25519Helper(), ...native });

// Other modules import these functions from here instead of from the library, so that they use the
// implementation above.
export const { createAccount, createOperator, createUser, fromPublic, fromSeed } = library;

function privateKeyOf(seed: Uint8Array) {
  return createPrivateKey({ key: Buffer.concat([privateKeyHead, seed]), format: "der", type: "pkcs8" });
}
