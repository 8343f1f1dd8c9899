import {
  ApiError,
  assertValueCount,
  badRequest,
  formatTimestamp,
  isTimestamp,
  type JsonObject,
  type JsonValue,
  jsonValuesMax,
} from "@kintsugi/api";
import { type Token, Tokenizer, Type } from "cborg";
import { isPrototypeMember } from "../json-value.ts";

/** Upstream's limits (apimachinery's cbor/internal/modes/decode.go). */
const [nestedLevelsMax, arrayItemsMax, mapPairsMax] = [64, 1024, 1024] as const;

export interface CborOptions {
  /** Limit of the values that the body may hold; absent: the limit of an ordinary kind. */
  readonly valuesMax?: number | undefined;
  /** The first words of a rejection's message. */
  readonly fault: string;
}

/**
 * Decodes one data item of CBOR (RFC 8949) to the JSON value that it represents, by upstream's
 * rules: a byte string is text, a byte string in tag 22 is base64, a point in time is text, other
 * tags are omitted, and a map has unique text keys.
 * @throws ApiError BadRequest for any other item, and beyond upstream's limits and the body's own
 * limits.
 */
export function decodeCbor(bytes: Uint8Array, { valuesMax = jsonValuesMax, fault }: CborOptions): JsonValue {
  const reader = new ItemReader(bytes, valuesMax);
  try {
    const value = reader.item({ depth: 0, textForm: undefined });
    reader.assertEnd();
    return value;
  } catch (error) {
    if (error instanceof ApiError || !(error instanceof Error) || error instanceof TypeError) throw error;
    const message = error.message.replace(/^CBOR decode error: /, "");
    throw badRequest(`${fault}cbor: ${message}`);
  }
}

/** The text of a byte string that has one of the tags 21 to 23. */
type TextForm = "base64url" | "base64" | "hex";

interface Place {
  /** Lists, maps, and tags of tags, around the item. */
  readonly depth: number;
  readonly textForm: TextForm | undefined;
}

const tokenOptions = { allowNaN: false, allowInfinity: false, allowUndefined: false, allowBigInt: true } as const;

/** Signed integers of 64 bits, as in Go. */
const [integerMin, integerMax] = [-(2n ** 63n), 2n ** 63n - 1n] as const;

/** Strings of indefinite length begin with these bytes, and are read by chunks. */
const [openBytes, openText, stop] = [0x5f, 0x7f, 0xff] as const;

/**
 * The tokenizer reads one head at a time and allocates no memory for a length that its bytes do not
 * have. The result of the tokens is limited here: depth, items and values.
 */
class ItemReader {
  readonly #bytes: Uint8Array;
  readonly #valuesMax: number;
  #values = 0;
  #tokens: Tokenizer;
  /** The place where the tokenizer's bytes begin. */
  #base = 0;

  constructor(bytes: Uint8Array, valuesMax: number) {
    this.#bytes = bytes;
    this.#valuesMax = valuesMax;
    this.#tokens = new Tokenizer(bytes, tokenOptions);
  }

  item(place: Place): JsonValue {
    const first = this.#firstByte();
    if (first === openBytes || first === openText) return this.#openString(first, place);
    if (first === stop) throw new Error("unexpected break");
    const at = this.#at;
    const token = this.#tokens.next();
    switch (token.type) {
      case Type.uint:
      case Type.negint:
        return numberOf(token);
      case Type.bytes:
        return textOf(token.value as Uint8Array, place.textForm);
      case Type.string:
        return this.#textAt(at, first);
      case Type.array:
        return this.#array(token.value as number, nested(place));
      case Type.map:
        return this.#map(token.value as number, nested(place));
      case Type.tag:
        return this.#tagged(token.value as number | bigint, place);
      default:
        return token.value as JsonValue;
    }
  }

  assertEnd(): void {
    const left = this.#bytes.byteLength - this.#at;
    if (left > 0) throw new Error(`${left} bytes of extraneous data starting at index ${this.#at}`);
  }

  get #at(): number {
    return this.#base + this.#tokens.pos();
  }

  #firstByte(): number {
    const first = this.#bytes[this.#at];
    if (first === undefined) throw new Error("unexpected end of the data");
    return first;
  }

  /** Skips one byte, which the tokenizer does not read. */
  #skip(): void {
    this.#base = this.#at + 1;
    this.#tokens = new Tokenizer(this.#bytes.subarray(this.#base), tokenOptions);
  }

  /** Ends a list, map or string without a length, if its break is next. */
  #ends(): boolean {
    if (this.#firstByte() !== stop) return false;
    this.#skip();
    return true;
  }

  #spend(): void {
    assertValueCount(++this.#values, this.#valuesMax);
  }

  #array(length: number, place: Place): JsonValue[] {
    this.#spend();
    const items: JsonValue[] = [];
    assertLength("array", length, arrayItemsMax);
    for (let count = 0; count < length && !(length === Infinity && this.#ends()); count++) {
      if (count >= arrayItemsMax) throw tooLong("array", arrayItemsMax);
      this.#spend();
      items.push(this.item(place));
    }
    return items;
  }

  #map(length: number, place: Place): JsonObject {
    this.#spend();
    const object: JsonObject = {};
    assertLength("map", length, mapPairsMax);
    for (let count = 0; count < length && !(length === Infinity && this.#ends()); count++) {
      if (count >= mapPairsMax) throw tooLong("map", mapPairsMax);
      this.#spend();
      const key = this.#key();
      if (Object.hasOwn(object, key)) {
        throw new Error(`found duplicate map key ${JSON.stringify(key)} at map element index ${count}`);
      }
      object[key] = this.item(place);
    }
    return object;
  }

  #key(): string {
    const major = this.#firstByte() >> 5;
    if (major !== 2 && major !== 3) throw new Error("a map key is neither a text string nor a byte string");
    const key = this.item({ depth: 0, textForm: undefined }) as string;
    if (isPrototypeMember(key)) throw new Error(`the body has a key "${key}" that is not allowed`);
    return key;
  }

  /**
   * Text is decoded from the body itself, because the tokenizer replaces bytes that are invalid
   * UTF-8, which the format forbids.
   */
  #textAt(at: number, first: number): string {
    const lengthKind = first & 0x1f;
    const headBytes = lengthKind < 24 ? 1 : 1 + 2 ** (lengthKind - 24);
    return textOf(this.#bytes.subarray(at + headBytes, this.#at), undefined);
  }

  /** A string of indefinite length: chunks of the same kind with a length, up to a break. */
  #openString(first: typeof openBytes | typeof openText, { textForm }: Place): string {
    const major = first >> 5;
    this.#skip();
    const chunks: Uint8Array[] = [];
    let text = "";
    while (!this.#ends()) {
      this.#spend();
      const head = this.#firstByte();
      if (head >> 5 !== major || head === first)
        throw new Error("an indefinite-length string has a part of another type");
      const at = this.#at;
      const token = this.#tokens.next();
      if (first === openText) text += this.#textAt(at, head);
      else chunks.push(token.value as Uint8Array);
    }
    return first === openText ? text : textOf(Buffer.concat(chunks), textForm);
  }

  #tagged(tag: number | bigint, place: Place): JsonValue {
    // Nested tags count as levels. Otherwise a body of only tags would overflow the stack.
    const content = this.#firstByte() >> 5 === 6 ? nested(place) : place;
    switch (tag) {
      case 0:
        return timeOfText(this.item(content));
      case 1:
        return timeOfSeconds(this.item(content));
      case 2:
      case 3:
        throw new Error("integers of more than 64 bits are not supported");
      case 21:
        return this.item({ ...content, textForm: "base64url" });
      case 22:
        return this.item({ ...content, textForm: "base64" });
      case 23:
        return this.item({ ...content, textForm: "hex" });
      default:
        return this.item(content);
    }
  }
}

function nested(place: Place): Place {
  const depth = place.depth + 1;
  if (depth > nestedLevelsMax) throw new Error(`exceeded max nested level ${nestedLevelsMax}`);
  return { ...place, depth };
}

function assertLength(what: "array" | "map", length: number, max: number): void {
  if (length !== Infinity && length > max) throw tooLong(what, max);
}

function tooLong(what: "array" | "map", max: number): Error {
  const parts = what === "array" ? "elements" : "key-value pairs";
  return new Error(`exceeded max number of ${parts} ${max} for CBOR ${what}`);
}

/** A number beyond 2^53 becomes the nearest representable number, as in JSON. */
function numberOf({ value }: Token): number {
  if (typeof value !== "bigint") return value as number;
  if (value > integerMax || value < integerMin) throw new Error(`${value} overflows Go's int64`);
  return Number(value);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array, form: TextForm | undefined): string {
  if (form !== undefined) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(form);
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new Error("invalid UTF-8 string", { cause: error });
  }
}

function timeOfText(text: JsonValue): string {
  if (typeof text === "string" && isTimestamp(text)) return text;
  throw new Error("cannot set the content of tag 0 for a time: it is not in the format of RFC 3339");
}

/** Go writes only times of the years 1 to 9999 into JSON. */
const [firstSecond, lastSecond] = [-62_135_596_800, 253_402_300_799] as const;

/** Seconds since 1970, with a fraction in nanoseconds. */
function timeOfSeconds(seconds: JsonValue): string {
  if (typeof seconds !== "number") throw new Error("cannot set the content of tag 1 for a time: it is not a number");
  if (seconds < firstSecond || seconds > lastSecond) throw new Error(`${seconds} s is outside the years 1 to 9999`);
  let whole = Math.trunc(seconds);
  let nanos = Math.trunc((seconds - whole) * 1e9);
  if (nanos < 0) [whole, nanos] = [whole - 1, nanos + 1e9];
  const text = formatTimestamp(whole * 1000).slice(0, -1);
  const fraction = nanos === 0 ? "" : `.${String(nanos).padStart(9, "0").replace(/0+$/, "")}`;
  return `${text}${fraction}Z`;
}
