import { InvalidSigningRequest } from "./invalid-signing-request.ts";

export const tags = {
  integer: 0x02,
  bitString: 0x03,
  objectIdentifier: 0x06,
  sequence: 0x30,
  set: 0x31,
  /** The first field of a sequence whose fields may be omitted. */
  first: 0xa0,
} as const;

/** Reads values in the distinguished encoding (X.690), one after the other. */
export class DerReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Returns a reader of the next value's content, which must be of this kind. */
  enter(tag: number): DerReader {
    return new DerReader(this.take(tag));
  }

  /** Returns the next value's bytes, with its kind and length. */
  takeWhole(wanted: number): Uint8Array {
    const from = this.#at;
    this.take(wanted);
    return this.#bytes.subarray(from, this.#at);
  }

  /** Returns the next value's content, without its kind and length. */
  take(wanted: number): Uint8Array {
    const { tag, content } = this.next();
    if (tag !== wanted) throw malformed();
    return content;
  }

  next(): { tag: number; content: Uint8Array } {
    const tag = this.#byte();
    const length = this.#length();
    const end = this.#at + length;
    if (end > this.#bytes.length) throw malformed();
    const content = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return { tag, content };
  }

  /**
   * A length below 128 is one byte. The first byte of a longer length announces the number of its
   * bytes; requests never need more than four.
   */
  #length(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    const count = first & 0x7f;
    if (count === 0 || count > 4) throw malformed();
    let length = 0;
    for (let i = 0; i < count; i++) length = length * 256 + this.#byte();
    return length;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw malformed();
    return byte;
  }
}

function malformed(): InvalidSigningRequest {
  return new InvalidSigningRequest("this is not a certificate request");
}
