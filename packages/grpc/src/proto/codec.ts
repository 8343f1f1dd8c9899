import { strict as assert } from "node:assert";
import protobuf from "protobufjs/minimal.js";
import type { EnumType, Field, MessageType, Scalar } from "./proto-text.ts";

// A field on the wire is a tag, (number << 3 | wire type), and its value: a varint, or a length
// followed by that many bytes.
//   { id: "c", exitCode: 5 } of `string id = 1; int32 exit_code = 7;` is   0a 01 63   38 05
// Numbers in a list may also share one tag ("packed"). The packed form is written, and both forms
// are read, as proto3 requires.
const varint = 0;
const lengthDelimited = 2;

type Message = Record<string, unknown>;

/**
 * The bytes of a message. A field that is absent, null or its default is omitted, except that an
 * empty message differs from an absent message. 64-bit integers are read from a string or number,
 * enums from their names; an unknown name fails an assertion.
 */
export function encodeMessage(type: MessageType, message: object): Buffer {
  const writer = protobuf.Writer.create();
  writeFields(writer, type, message as Message);
  return writer.finish() as Buffer;
}

/**
 * Decodes a message with every field: absent fields as "", 0, "0", false, [], {} or the enum's name
 * for 0, absent messages as null. 64-bit integers are text, since a number cannot represent all of
 * them; enums are names, or the number of a value without a name. Unknown fields are skipped.
 * @throws RangeError for bytes that end within a number or within a message
 */
export function decodeMessage(type: MessageType, bytes: Uint8Array): object {
  const reader = protobuf.Reader.create(bytes);
  return readFields(reader, type, reader.len);
}

function writeFields(writer: protobuf.Writer, type: MessageType, message: Message): void {
  for (const field of type.fields.values()) {
    const value = message[field.name];
    if (value === undefined || value === null) continue;
    if (field.shape === "one") writeOne(writer, field, value);
    else if (field.shape === "list") writeList(writer, field, value as readonly unknown[]);
    else writeMap(writer, field, value as Readonly<Record<string, string>>);
  }
}

function writeOne(writer: protobuf.Writer, { number, type }: Field, value: unknown): void {
  if (typeof type === "string") {
    if (!isDefault(type, value)) writeScalar(writer.uint32(tag(number, type)), type, value);
  } else if (type.kind === "enum") {
    const enumNumber = enumNumberOf(type, value);
    if (enumNumber !== 0) writer.uint32((number << 3) | varint).int32(enumNumber);
  } else {
    writeInside(writer, number, () => writeFields(writer, type, value as Message));
  }
}

function writeList(writer: protobuf.Writer, { number, type }: Field, values: readonly unknown[]): void {
  if (values.length === 0) return;
  if (typeof type === "string" && wireTypeOf(type) === lengthDelimited) {
    for (const value of values) writeScalar(writer.uint32(tag(number, type)), type, value);
  } else if (typeof type === "string") {
    writeInside(writer, number, () => {
      for (const value of values) writeScalar(writer, type, value);
    });
  } else {
    assert.equal(type.kind, "message", "no list of CRI holds enums");
    const message = type as MessageType;
    for (const value of values) writeInside(writer, number, () => writeFields(writer, message, value as Message));
  }
}

function writeMap(writer: protobuf.Writer, { number }: Field, values: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(values)) {
    writeInside(writer, number, () => {
      writer.uint32(tag(1, "string")).string(key);
      writer.uint32(tag(2, "string")).string(value);
    });
  }
}

function writeInside(writer: protobuf.Writer, number: number, write: () => void): void {
  writer.uint32((number << 3) | lengthDelimited).fork();
  write();
  writer.ldelim();
}

function writeScalar(writer: protobuf.Writer, type: Scalar, value: unknown): void {
  if (type === "string") writer.string(value as string);
  else if (type === "bytes") writer.bytes(value as Uint8Array);
  else if (type === "bool") writer.bool(value as boolean);
  else if (type === "int32" || type === "uint32") writer[type](value as number);
  else writer[type](value as string | number);
}

function readFields(reader: protobuf.Reader, type: MessageType, end: number): Message {
  const message = emptyMessage(type);
  while (reader.pos < end) {
    const read = reader.uint32();
    const [field, wireType] = [type.fields.get(read >>> 3), read & 7];
    if (!field) reader.skipType(wireType);
    else if (field.shape === "one") message[field.name] = readOne(reader, field.type);
    else if (field.shape === "list") (message[field.name] as unknown[]).push(...readItems(reader, field, wireType));
    else readEntryInto(message[field.name] as Record<string, string>, reader);
  }
  return message;
}

function readOne(reader: protobuf.Reader, type: Field["type"]): unknown {
  if (typeof type === "string") return readScalar(reader, type);
  if (type.kind === "enum") {
    const number = reader.int32();
    return type.wordOf.get(number) ?? number;
  }
  const length = reader.uint32();
  return readFields(reader, type, reader.pos + length);
}

function readItems(reader: protobuf.Reader, { type }: Field, wireType: number): unknown[] {
  const packed = wireType === lengthDelimited && typeof type === "string" && wireTypeOf(type) === varint;
  if (!packed) return [readOne(reader, type)];
  const items: unknown[] = [];
  const length = reader.uint32();
  for (const end = reader.pos + length; reader.pos < end;) items.push(readScalar(reader, type));
  return items;
}

function readEntryInto(map: Record<string, string>, reader: protobuf.Reader): void {
  let [key, value] = ["", ""];
  const length = reader.uint32();
  for (const end = reader.pos + length; reader.pos < end;) {
    const read = reader.uint32();
    if (read >>> 3 === 1) key = reader.string();
    else if (read >>> 3 === 2) value = reader.string();
    else reader.skipType(read & 7);
  }
  map[key] = value;
}

function readScalar(reader: protobuf.Reader, type: Scalar): unknown {
  if (type === "int64" || type === "uint64") return (reader[type]() as { toString(): string }).toString();
  return reader[type]();
}

function emptyMessage(type: MessageType): Message {
  const message: Message = {};
  for (const { name, shape, type: fieldType } of type.fields.values()) {
    message[name] = shape === "list" ? [] : shape === "map" ? {} : defaultOf(fieldType);
  }
  return message;
}

function defaultOf(type: Field["type"]): unknown {
  if (typeof type !== "string") return type.kind === "enum" ? type.wordOf.get(0) : null;
  if (type === "string") return "";
  if (type === "bytes") return Buffer.alloc(0);
  if (type === "bool") return false;
  return type === "int32" || type === "uint32" ? 0 : "0";
}

function isDefault(type: Scalar, value: unknown): boolean {
  if (type === "bytes") return (value as Uint8Array).length === 0;
  return type === "int64" || type === "uint64" ? String(value) === "0" : value === defaultOf(type);
}

function enumNumberOf({ numberOf }: EnumType, word: unknown): number {
  const number = numberOf.get(word as string);
  assert(number !== undefined, `${String(word)} is a word of the enum`);
  return number;
}

function tag(number: number, type: Scalar): number {
  return (number << 3) | wireTypeOf(type);
}

function wireTypeOf(type: Scalar): typeof varint | typeof lengthDelimited {
  return type === "string" || type === "bytes" ? lengthDelimited : varint;
}
