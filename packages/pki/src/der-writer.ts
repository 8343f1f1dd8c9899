import { InvalidSigningRequest } from "./invalid-signing-request.ts";

// Values in the distinguished encoding (X.690): a tag, a length and the content.
//
//   integer(Buffer.of(5))              → 02 01 05
//   sequence(integer(…5), boolean)     → 30 06  02 01 05  01 01 ff

const printable = /^[A-Za-z0-9 '()+,\-./:=?]*$/;
/** Certificates write years from this one on with four digits (RFC 5280, section 4.1.2.5). */
const firstYearOfFourDigits = 2050;

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return encoded(0x30, parts);
}

export function set(...parts: readonly Uint8Array[]): Buffer {
  return encoded(0x31, parts);
}

export const trueValue = Buffer.of(0x01, 0x01, 0xff);

/** Writes a positive integer; the highest bit of `bytes` is not set. */
export function integer(bytes: Uint8Array): Buffer {
  return encoded(0x02, [bytes]);
}

/** Writes an object identifier: "2.5.4.3". */
export function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  return encoded(0x06, [Buffer.from([first * 40 + second, ...rest.flatMap(inBase128)])]);
}

/** Writes the bits of `bytes`, without the last `unusedBits`. */
export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return encoded(0x03, [Buffer.of(unusedBits), bytes]);
}

export function octetString(bytes: Uint8Array): Buffer {
  return encoded(0x04, [bytes]);
}

/** Writes a string of a distinguished name, in the simplest type that can represent it. */
export function encodedText(text: string): Buffer {
  return printable.test(text) ? encoded(0x13, [Buffer.from(text, "latin1")]) : encoded(0x0c, [Buffer.from(text)]);
}

/** Writes an instant to the second. */
export function instant(atMs: number): Buffer {
  // oxlint-disable-next-line no-restricted-globals -- formats an instant, reads no clock
  const digits = new Date(atMs).toISOString().replaceAll(/\.\d+|[-:T]/g, "");
  const isLong = Number(digits.slice(0, 4)) >= firstYearOfFourDigits;
  return isLong ? encoded(0x18, [Buffer.from(digits)]) : encoded(0x17, [Buffer.from(digits.slice(2))]);
}

/** Writes a value that is tagged by its number in a choice or in a sequence. */
export function numbered(number: number, content: Uint8Array): Buffer {
  return encoded(0x80 | number, [content]);
}

/** `numbered` for content that consists of values. */
export function numberedValues(number: number, ...parts: readonly Uint8Array[]): Buffer {
  return encoded(0xa0 | number, parts);
}

/**
 * The bytes of a string for which certificates allow only ASCII. Another character would be cut to
 * eight bits, and so become another name.
 * @throws InvalidSigningRequest
 */
export function ascii(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length === text.length) return bytes;
  throw new InvalidSigningRequest(`the name ${JSON.stringify(text)} of a certificate has characters other than ASCII`);
}

function encoded(tag: number, parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag, ...lengthOf(content.length)), content]);
}

/**
 * A length below 128 is one byte; the first byte of a longer length is the number of bytes that
 * follow.
 */
function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

function inBase128(number: number): number[] {
  const digits = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128))
    digits.unshift(0x80 | (rest % 128));
  return digits;
}
