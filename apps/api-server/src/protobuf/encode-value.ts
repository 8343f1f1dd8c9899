import {
  type FieldDescription,
  type JsonObject,
  type JsonValue,
  oncePer,
  parseDurationMs,
  parseTimestamp,
  type TypeDescription,
} from "@kintsugi/api";
import protobuf from "protobufjs/minimal.js";

type Writer = protobuf.Writer;
type ObjectDescription = Extract<TypeDescription, { type: "object" }>;
type ScalarDescription = Exclude<TypeDescription, { type: "object" | "list" | "map" }>;

const wireType = { varint: 0, fixed64: 1, bytes: 2 } as const;

/**
 * The members of a JSON object as the fields of a message. Members that are null or have no number
 * in protobuf are omitted.
 */
export function encodeMessage(object: JsonObject, type: ObjectDescription): Uint8Array {
  const writer = protobuf.Writer.create();
  writeFields(writer, object, type);
  return writer.finish();
}

/** Writes the key of a field whose value is bytes, a string or a message. */
export function bytesField(writer: Writer, fieldNumber: number): Writer {
  return writer.uint32(tagOf(fieldNumber, wireType.bytes));
}

function tagOf(fieldNumber: number, type: number): number {
  return ((fieldNumber << 3) | type) >>> 0;
}

function writeFields(writer: Writer, object: JsonObject, type: ObjectDescription): void {
  for (const name of Object.keys(object)) {
    const value = object[name];
    const field = type.fields.get(name);
    if (value === undefined || value === null || field?.protoNumber === undefined) continue;
    if (field.protoEmbedded === undefined) writeField(writer, field.protoNumber, { value, type: field.type });
  }
  writeInline(writer, object, embeddedOf(type));
}

/** A message whose fields JSON has inline. It may contain further such messages. */
interface InlineMessage {
  readonly fields: FieldDescription[];
  readonly messages: Map<number, InlineMessage>;
}

function writeInline(writer: Writer, object: JsonObject, messages: ReadonlyMap<number, InlineMessage>): void {
  for (const [fieldNumber, message] of messages) {
    if (!hasMembers(message, object)) continue;
    bytesField(writer, fieldNumber).fork();
    for (const { name, protoNumber = 0, type } of message.fields) {
      const value = object[name] ?? null;
      if (value !== null) writeField(writer, protoNumber, { value, type });
    }
    writeInline(writer, object, message.messages);
    writer.ldelim();
  }
}

function hasMembers({ fields, messages }: InlineMessage, object: JsonObject): boolean {
  return (
    fields.some(({ name }) => (object[name] ?? null) !== null) ||
    [...messages.values()].some((message) => hasMembers(message, object))
  );
}

/**
 * The fields that are inline in JSON and in a separate message in protobuf, by the message's
 * number.
 */
const embeddedOf = oncePer((type: ObjectDescription): ReadonlyMap<number, InlineMessage> => {
  const root = new Map<number, InlineMessage>();
  for (const field of type.fields.values()) {
    const { protoNumber, protoEmbedded, protoEmbeddedIn } = field;
    if (protoEmbedded === undefined || protoNumber === undefined) continue;
    const outer = protoEmbeddedIn === undefined ? root : messageAt(root, protoEmbeddedIn).messages;
    messageAt(outer, protoEmbedded).fields.push(field);
  }
  return root;
});

function messageAt(messages: Map<number, InlineMessage>, at: number): InlineMessage {
  let message = messages.get(at);
  if (message === undefined) messages.set(at, (message = { fields: [], messages: new Map() }));
  return message;
}

interface TypedValue {
  value: JsonValue;
  type: TypeDescription;
}

function writeField(writer: Writer, fieldNumber: number, { value, type }: TypedValue): void {
  if (type.type === "list") {
    for (const item of value as JsonValue[]) writeSingle(writer, fieldNumber, { value: item, type: type.items });
    return;
  }
  if (type.type !== "map") {
    writeSingle(writer, fieldNumber, { value, type });
    return;
  }
  const entries = value as JsonObject;
  for (const key of Object.keys(entries)) {
    bytesField(writer, fieldNumber).fork();
    bytesField(writer, 1).string(key);
    writeSingle(writer, 2, { value: entries[key] as JsonValue, type: type.values });
    writer.ldelim();
  }
}

function writeSingle(writer: Writer, fieldNumber: number, { value, type }: TypedValue): void {
  switch (type.type) {
    case "object":
      bytesField(writer, fieldNumber).fork();
      writeFields(writer, (value ?? {}) as JsonObject, type);
      writer.ldelim();
      return;
    // A list or a map inside a map is in a separate message.
    case "list":
    case "map":
      bytesField(writer, fieldNumber).fork();
      writeField(writer, 1, { value, type });
      writer.ldelim();
      return;
    case "any":
      writeAny(writer, fieldNumber, { value, either: type.either });
      return;
    case "boolean":
      writer.uint32(tagOf(fieldNumber, wireType.varint)).bool(value as boolean);
      return;
    case "integer":
      writer.uint32(tagOf(fieldNumber, wireType.varint)).int64(value as number);
      return;
    case "number":
      writer.uint32(tagOf(fieldNumber, wireType.fixed64)).double(value as number);
      return;
    case "string":
      writeText(writer, fieldNumber, { value: value as string | number, format: type.format });
  }
}

/** RawExtension, JSON and FieldsV1 are JSON text in field 1. */
function writeAny(
  writer: Writer,
  fieldNumber: number,
  { value, either }: { value: JsonValue; either: ScalarDescription["either"] },
): void {
  if (either === undefined) {
    bytesField(writer, fieldNumber).fork();
    bytesField(writer, 1).string(JSON.stringify(value));
    writer.ldelim();
    return;
  }
  const message = either.toMessage(value) as JsonObject;
  writeSingle(writer, fieldNumber, { value: message, type: either.message() });
}

function writeText(
  writer: Writer,
  fieldNumber: number,
  { value, format }: { value: string | number; format: ScalarDescription["format"] },
): void {
  bytesField(writer, fieldNumber);
  switch (format) {
    case "byte":
      writer.bytes(Buffer.from(String(value), "base64"));
      return;
    case "date-time":
    case "micro-time":
      writer.fork();
      writeTime(writer, String(value));
      writer.ldelim();
      return;
    case "duration":
      writer.fork();
      writer.uint32(tagOf(1, wireType.varint)).int64(parseDurationMs(String(value)) * 1_000_000);
      writer.ldelim();
      return;
    case "quantity":
      writer.fork();
      bytesField(writer, 1).string(String(value));
      writer.ldelim();
      return;
    case "int-or-string":
      writer.fork();
      writeIntOrString(writer, value);
      writer.ldelim();
      return;
    default:
      writer.string(String(value));
  }
}

/** Seconds since 1970, and nanoseconds. A string contains at most microseconds. */
function writeTime(writer: Writer, text: string): void {
  const fraction = /\.(\d+)Z$/.exec(text)?.[1] ?? "";
  const whole = fraction === "" ? text : `${text.slice(0, -fraction.length - 2)}Z`;
  writer.uint32(tagOf(1, wireType.varint)).int64(parseTimestamp(whole) / 1000);
  writer.uint32(tagOf(2, wireType.varint)).int32(Number(fraction.padEnd(9, "0")));
}

function writeIntOrString(writer: Writer, value: string | number): void {
  const isNumber = typeof value === "number";
  writer.uint32(tagOf(1, wireType.varint)).int64(isNumber ? 0 : 1);
  writer.uint32(tagOf(2, wireType.varint)).int32(isNumber ? value : 0);
  bytesField(writer, 3).string(isNumber ? "" : value);
}
