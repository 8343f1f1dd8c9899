import type { JsonObject, JsonValue, TypeDescription } from "@kintsugi/api";
import { encode, Tagged, Token, Type } from "cborg";

/** Tag 55799, "self-described CBOR": every body and every object in a watch begins with it. */
const selfDescribed = Buffer.of(0xd9, 0xd9, 0xf7);

/** The tag of byte strings that are base64 text in JSON. */
const base64Tag = 22;

/**
 * A JSON value as a whole body in `application/cbor`, the reverse of `decodeCbor`. Like upstream's
 * encoder it writes byte strings for text and keys, the shortest form of numbers, and keys in the
 * order of RFC 8949, section 4.2.1. Where the type is known, byte fields are written as byte
 * strings.
 */
export function cborBody(value: JsonValue, type?: TypeDescription): Uint8Array {
  return Buffer.concat([selfDescribed, cborItem(value, type)]);
}

/** A JSON value as a part of another item. */
export function cborItem(value: JsonValue, type?: TypeDescription): Uint8Array {
  return encode(type === undefined ? value : withBytes(value, type), options);
}

/** One event of a watch: a map of the event's type and its object. The object is a whole body. */
export function cborFrame(type: string, body: Uint8Array): Uint8Array {
  return Buffer.concat([selfDescribed, mapHead(2), cborItem("type"), cborItem(type), cborItem("object"), body]);
}

/**
 * The bytes before the items of a list: a map of `members`, followed by the head of the list, whose
 * `length` items are written next.
 */
export function cborListOpening(members: JsonObject, list: "items" | "rows", length: number): Uint8Array {
  const pairs = Object.entries(members);
  return Buffer.concat([
    selfDescribed,
    mapHead(pairs.length + 1),
    ...pairs.flatMap(([key, value]) => [cborItem(key), cborItem(value)]),
    cborItem(list),
    head(arrayMajor, length),
  ]);
}

const [arrayMajor, mapMajor] = [4, 5] as const;

function mapHead(pairs: number): Uint8Array {
  return head(mapMajor, pairs);
}

/** The head of an item is encoded like an unsigned integer, with other bits for its type. */
function head(major: number, length: number): Uint8Array {
  const bytes = Buffer.from(encode(length));
  bytes.writeUInt8(bytes.readUInt8(0) | (major << 5), 0);
  return bytes;
}

const integerEnd = 2 ** 63;

const options = {
  ignoreUndefinedProperties: true,
  typeEncoders: {
    string: (text: string) => new Token(Type.bytes, Buffer.from(text, "utf8")),
    // Integers are written as integers up to the size of Go's integers.
    number: (value: number) => {
      if (!Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= integerEnd) return null;
      return new Token(value < 0 ? Type.negint : Type.uint, BigInt(value));
    },
  },
};

/**
 * The value with byte strings in place of base64 in byte fields. A part without byte fields is not
 * copied.
 */
function withBytes(value: JsonValue, type: TypeDescription): JsonValue {
  switch (type.type) {
    case "string":
      return type.format === "byte" && typeof value === "string" ? bytesOf(value) : value;
    case "list":
      return Array.isArray(value) ? itemsWithBytes(value, type.items) : value;
    case "map":
      return isObject(value) ? membersWithBytes(value, () => type.values) : value;
    case "object":
      return isObject(value) ? membersWithBytes(value, (name) => type.fields.get(name)?.type) : value;
    default:
      return value;
  }
}

/** Text that is not base64 in Go's form remains text. Readers still decode it as base64. */
function bytesOf(text: string): JsonValue {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? (new Tagged(base64Tag, bytes) as unknown as JsonValue) : text;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function itemsWithBytes(items: readonly JsonValue[], type: TypeDescription): JsonValue[] {
  let changed: JsonValue[] | undefined;
  for (const [index, item] of items.entries()) {
    const next = withBytes(item, type);
    if (next !== item) (changed ??= [...items])[index] = next;
  }
  return changed ?? (items as JsonValue[]);
}

function membersWithBytes(object: JsonObject, typeOf: (name: string) => TypeDescription | undefined): JsonObject {
  let changed: JsonObject | undefined;
  for (const [name, member] of Object.entries(object)) {
    const type = typeOf(name);
    const next = type === undefined ? member : withBytes(member, type);
    if (next !== member) (changed ??= { ...object })[name] = next;
  }
  return changed ?? object;
}
