import { hash } from "node:crypto";

/**
 * 128 bits of SHA-256, which with SHA instructions is faster than any other digest in Node
 * (1.3 µs for 2 KiB). It has sixteen characters of one byte each, because the store keeps a digest
 * for every record, and this form is the smallest.
 */
export type Digest = string;

export const digestBytes = 16;

export function digestOf(bytes: Uint8Array): Digest {
  // A slice would retain the whole hash, which takes 90 bytes of the heap for each record instead
  // of 42.
  scratch.write(hash("sha256", bytes, "binary"), 0, digestBytes, "latin1");
  return scratch.toString("latin1");
}

const scratch = Buffer.alloc(digestBytes);

export function writeDigest(bytes: Buffer, at: number, digest: Digest): void {
  bytes.write(digest, at, "latin1");
}

export function readDigest(bytes: Buffer, at: number): Digest {
  return bytes.toString("latin1", at, at + digestBytes);
}

export function digestToHex(digest: Digest): string {
  return Buffer.from(digest, "latin1").toString("hex");
}

export function digestFromHex(hex: string): Digest {
  return Buffer.from(hex, "hex").toString("latin1");
}

/** The sum of the empty set. */
export const digestZero: Digest = "\0".repeat(digestBytes);

/** The sum of digests modulo 2^128, which is the same for the same set of digests in any order. */
export class DigestSum {
  /** Four 32-bit digits, the highest first. */
  readonly #limbs: [number, number, number, number];

  constructor(start: Digest = digestZero) {
    this.#limbs = limbsOf(start);
  }

  add(digest: Digest): this {
    return this.#combine(digest, 1);
  }

  subtract(digest: Digest): this {
    return this.#combine(digest, -1);
  }

  toDigest(): Digest {
    const bytes = Buffer.allocUnsafe(digestBytes);
    for (const [i, limb] of this.#limbs.entries()) bytes.writeUInt32BE(limb, i * 4);
    return readDigest(bytes, 0);
  }

  #combine(digest: Digest, sign: 1 | -1): this {
    const limbs = this.#limbs;
    const other = limbsOf(digest);
    let carry = 0;
    for (const i of lowestFirst) {
      const sum = limbs[i] + sign * other[i] + carry;
      carry = Math.floor(sum / 2 ** 32);
      limbs[i] = sum - carry * 2 ** 32;
    }
    return this;
  }
}

const lowestFirst = [3, 2, 1, 0] as const;

function limbsOf(digest: Digest): [number, number, number, number] {
  return [limbAt(digest, 0), limbAt(digest, 4), limbAt(digest, 8), limbAt(digest, 12)];
}

function limbAt(digest: Digest, at: number): number {
  const high = digest.charCodeAt(at) * 2 ** 24;
  return high + (digest.charCodeAt(at + 1) << 16) + (digest.charCodeAt(at + 2) << 8) + digest.charCodeAt(at + 3);
}
