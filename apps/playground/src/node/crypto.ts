import { sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { Buffer } from "buffer";

// The part of node:crypto that services use in virtual time: digests, and random bytes for
// identifiers on which no run depends. Keys, signatures and certificates are not included.

const digests = { sha1, sha256, sha512 } as const;
type Encoding = "hex" | "base64" | "base64url" | "buffer";

function digestOf(algorithm: string): (typeof digests)[keyof typeof digests] {
  const found = (digests as Readonly<Record<string, (typeof digests)[keyof typeof digests]>>)[algorithm];
  if (found === undefined) throw new Error(`the playground has no ${algorithm}`);
  return found;
}

function encode(bytes: Uint8Array, encoding: Encoding | undefined): string | Buffer {
  const buffer = Buffer.from(bytes);
  if (encoding === undefined || encoding === "buffer") return buffer;
  if (encoding !== "base64url") return buffer.toString(encoding);
  return buffer.toString("base64").replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const bytesOf = (data: string | Uint8Array) => (typeof data === "string" ? new TextEncoder().encode(data) : data);

interface Hash {
  update(data: string | Uint8Array): Hash;
  digest(encoding?: Encoding): string | Buffer;
  copy(): Hash;
}

export function createHash(algorithm: string): Hash {
  return hashOver(digestOf(algorithm).create());
}

/** The part of a digest of the library that is used here. */
interface Hasher {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
  clone(): Hasher;
}

function hashOver(hasher: Hasher): Hash {
  const own: Hash = {
    update(data) {
      hasher.update(bytesOf(data));
      return own;
    },
    digest: (encoding) => encode(hasher.digest(), encoding),
    copy: () => hashOver(hasher.clone()),
  };
  return own;
}

export function hash(algorithm: string, data: string | Uint8Array, encoding: Encoding = "hex"): string | Buffer {
  return encode(digestOf(algorithm)(bytesOf(data)), encoding);
}

export function randomBytes(length: number): Buffer {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(length)));
}

export function randomInt(from: number, until?: number): number {
  const [low, high] = until === undefined ? [0, from] : [from, until];
  return low + Math.floor((randomBytes(6).readUIntBE(0, 6) / 2 ** 48) * (high - low));
}

export function randomUUID(): string {
  // oxlint-disable-next-line no-restricted-properties -- systemRandom is made of it
  return crypto.randomUUID();
}

export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** Certificates are only read where servers use TLS. */
export class X509Certificate {
  constructor() {
    throw new Error("the playground reads no certificates");
  }
}

export const webcrypto = crypto;
export const constants = {};
const refuse = () => {
  throw new Error("the playground has no keys");
};
export {
  refuse as createCipheriv,
  refuse as createDecipheriv,
  refuse as createHmac,
  refuse as createPrivateKey,
  refuse as createPublicKey,
  refuse as generateKeyPair,
  refuse as generateKeyPairSync,
  refuse as sign,
  refuse as verify,
};
