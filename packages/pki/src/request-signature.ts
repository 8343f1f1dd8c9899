import { constants, createPublicKey, type KeyObject, type VerifyKeyObjectInput, verify } from "node:crypto";
import { DerReader, tags } from "./der-reader.ts";
import { InvalidSigningRequest } from "./invalid-signing-request.ts";
import { readRequestSubject, type RequestSubject } from "./request-subject.ts";

// The parts of a request (PKCS #10, RFC 2986) that its signature needs; `·` marks skipped parts:
//
//   SEQUENCE                              the request
//     SEQUENCE                            the signed part
//       INTEGER                           version  ·
//       SEQUENCE                          the subject  ·
//       SEQUENCE                          the key  ◄── must be the key that signed
//       …                                 attributes  ·
//     SEQUENCE                            the signature's algorithm
//       1.2.840.10045.4.3.2               its identifier
//       …                                 of RSASSA-PSS: the hash
//     BIT STRING                          the signature

type Hash = "sha1" | "sha256" | "sha384" | "sha512";

interface Algorithm {
  /** Undefined if the algorithm includes the hash. */
  readonly hash?: Hash;
}

/**
 * The algorithms by object identifier, including SHA-1: the algorithms of requests that Go verifies
 * (crypto/x509).
 */
const algorithms: Readonly<Record<string, Algorithm>> = {
  "2a864886f70d010105": { hash: "sha1" },
  "2a864886f70d01010b": { hash: "sha256" },
  "2a864886f70d01010c": { hash: "sha384" },
  "2a864886f70d01010d": { hash: "sha512" },
  "2a8648ce3d0401": { hash: "sha1" },
  "2a8648ce3d040302": { hash: "sha256" },
  "2a8648ce3d040303": { hash: "sha384" },
  "2a8648ce3d040304": { hash: "sha512" },
  "2b6570": {},
};
const rsaPss = "2a864886f70d01010a";
const pssHashes: Readonly<Record<string, Hash>> = {
  "608648016503040201": "sha256",
  "608648016503040202": "sha384",
  "608648016503040203": "sha512",
};

/**
 * Reads the subject of a request synchronously and without a library, so that admission, which
 * rejects requests by their groups, and the signer read the same subject.
 * @throws InvalidSigningRequest when this is not a request, or is not signed by its own key.
 */
export function readSignedSubject(pem: string): RequestSubject {
  const subject = readRequestSubject(pem);
  const request = new DerReader(subject.der).enter(tags.sequence);
  const signed = request.takeWhole(tags.sequence);
  const method = request.enter(tags.sequence);
  // A bit string begins with the number of unused bits in its last byte, which is 0 for signatures.
  const signature = request.take(tags.bitString).subarray(1);
  if (!isSigned({ signed, signature, method, key: keyIn(signed) }))
    throw new InvalidSigningRequest("the request is not signed by its own key");
  return subject;
}

function keyIn(signed: Uint8Array): KeyObject {
  const fields = new DerReader(signed).enter(tags.sequence);
  fields.take(tags.integer);
  fields.take(tags.sequence);
  const key = Buffer.from(fields.takeWhole(tags.sequence));
  try {
    return createPublicKey({ key, format: "der", type: "spki" });
  } catch (cause) {
    throw new InvalidSigningRequest("the request's key cannot be read", { cause });
  }
}

function isSigned(request: { signed: Uint8Array; signature: Uint8Array; method: DerReader; key: KeyObject }): boolean {
  const { signed, signature, method, key } = request;
  const identifier = hex(method.take(tags.objectIdentifier));
  const isPss = identifier === rsaPss;
  const algorithm = isPss ? pssAlgorithm(method) : algorithms[identifier];
  if (!algorithm) throw new InvalidSigningRequest("the request is signed with an unknown algorithm");
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
  const input: VerifyKeyObjectInput = { key, ...(isPss ? pss : {}) };
  try {
    return verify(algorithm.hash, signed, input, signature);
  } catch {
    // The key and the algorithm are of different kinds.
    return false;
  }
}

function pssAlgorithm(method: DerReader): Algorithm | undefined {
  const parameters = method.enter(tags.sequence);
  const hash = pssHashes[hex(parameters.enter(tags.first).enter(tags.sequence).take(tags.objectIdentifier))];
  return hash && { hash };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
