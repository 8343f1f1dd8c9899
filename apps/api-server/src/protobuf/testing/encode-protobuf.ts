import { Buffer } from "node:buffer";
import protobuf from "protobufjs/minimal.js";
import { type JsonObject, type JsonValue, parseDurationMs, type TypeDescription } from "@kintsugi/api";

type Writer = protobuf.Writer;

/**
 * A body as client-go sends it: magic bytes, envelope, object. Written from upstream's
 * `generated.proto`, independently of the decoder.
 */
export function encodeProtobuf(object: JsonObject, type: TypeDescription): Uint8Array {
  const { apiVersion, kind, ...fields } = object;
  const raw = protobuf.Writer.create();
  writeObject(raw, fields, type);
  return encodeEnvelope({ apiVersion: apiVersion as string, kind: kind as string, raw: raw.finish() });
}

export function encodeEnvelope(parts: { apiVersion: string; kind: string; raw: Uint8Array }): Uint8Array {
  const typeMeta = protobuf.Writer.create()
    .uint32(tag(1, 2))
    .string(parts.apiVersion)
    .uint32(tag(2, 2))
    .string(parts.kind);
  const unknown = protobuf.Writer.create();
  unknown.uint32(tag(1, 2)).bytes(typeMeta.finish()).uint32(tag(2, 2)).bytes(parts.raw);
  unknown.uint32(tag(3, 2)).string("").uint32(tag(4, 2)).string("");
  return Buffer.concat([Buffer.from("k8s\0"), unknown.finish()]);
}

export function tag(fieldNumber: number, wireType: number): number {
  return ((fieldNumber << 3) | wireType) >>> 0;
}

function writeObject(writer: Writer, object: JsonObject, type: TypeDescription): void {
  if (type.type !== "object") {
    throw new Error("not an object type");
  }
  const embedded = new Map<string, Writer>();
  const writerAt = (path: string): Writer => {
    let found = embedded.get(path);
    if (found === undefined) embedded.set(path, (found = protobuf.Writer.create()));
    return found;
  };
  for (const [member, value] of Object.entries(object)) {
    const field = type.fields.get(member);
    if (field?.protoNumber === undefined) {
      throw new Error(`${type.name} has no field ${member} in protobuf`);
    }
    const { protoEmbedded, protoEmbeddedIn } = field;
    if (protoEmbeddedIn !== undefined) writerAt(String(protoEmbeddedIn));
    const path = protoEmbeddedIn === undefined ? String(protoEmbedded) : `${protoEmbeddedIn}/${protoEmbedded}`;
    const target = protoEmbedded === undefined ? writer : writerAt(path);
    writeField(target, field.protoNumber, { value, type: field.type });
  }
  // The inner messages are finished first.
  for (const [path, inline] of [...embedded].toSorted(([a], [b]) => b.split("/").length - a.split("/").length)) {
    const [last = "", ...outer] = path.split("/").toReversed();
    const target = outer.length === 0 ? writer : writerAt(outer.join("/"));
    target.uint32(tag(Number(last), 2)).bytes(inline.finish());
  }
}

function writeField(
  writer: Writer,
  fieldNumber: number,
  { value, type }: { value: JsonValue; type: TypeDescription },
): void {
  if (type.type === "list") {
    for (const item of value as JsonValue[]) {
      writeField(writer, fieldNumber, { value: item, type: type.items });
    }
  } else if (type.type === "map") {
    for (const [key, content] of Object.entries(value as JsonObject)) {
      const entry = protobuf.Writer.create().uint32(tag(1, 2)).string(key);
      writeMapValue(entry, content, type.values);
      writer.uint32(tag(fieldNumber, 2)).bytes(entry.finish());
    }
  } else {
    writeSingle(writer, fieldNumber, { value, type });
  }
}

function writeMapValue(entry: Writer, value: JsonValue, type: TypeDescription): void {
  if (type.type !== "list") {
    writeSingle(entry, 2, { value, type });
    return;
  }
  const list = protobuf.Writer.create();
  writeField(list, 1, { value, type });
  entry.uint32(tag(2, 2)).bytes(list.finish());
}

function writeSingle(
  writer: Writer,
  fieldNumber: number,
  { value, type }: { value: JsonValue; type: TypeDescription },
): void {
  switch (type.type) {
    case "object": {
      const message = protobuf.Writer.create();
      writeObject(message, value as JsonObject, type);
      writer.uint32(tag(fieldNumber, 2)).bytes(message.finish());
      return;
    }
    case "any":
      if (type.either !== undefined) return writeEither(writer, fieldNumber, { value, message: type.either.message() });
      writer
        .uint32(tag(fieldNumber, 2))
        .bytes(protobuf.Writer.create().uint32(tag(1, 2)).string(JSON.stringify(value)).finish());
      return;
    case "boolean":
      writer.uint32(tag(fieldNumber, 0)).bool(value as boolean);
      return;
    case "integer":
      writer.uint32(tag(fieldNumber, 0)).int64(value as number);
      return;
    case "number":
      writer.uint32(tag(fieldNumber, 1)).double(value as number);
      return;
    case "string":
      writeText(writer, fieldNumber, { value: value as string | number, format: type.format });
      return;
    default:
      throw new Error(`cannot write ${type.type}`);
  }
}

/** The message has a field for each form of the value. */
function writeEither(
  writer: Writer,
  fieldNumber: number,
  { value, message }: { value: JsonValue; message: TypeDescription },
): void {
  if (message.type !== "object") throw new Error("a value of either form is an object on the wire");
  const ofOther = [...message.fields.keys()].find((name) => name !== "schema") ?? "";
  const name = typeof value === "object" && !Array.isArray(value) ? "schema" : ofOther;
  writeSingle(writer, fieldNumber, { value: { [name]: value }, type: message });
}

function writeText(
  writer: Writer,
  fieldNumber: number,
  { value, format }: { value: string | number; format: string | undefined },
): void {
  const message = protobuf.Writer.create();
  switch (format) {
    case "byte":
      writer.uint32(tag(fieldNumber, 2)).bytes(Buffer.from(String(value), "base64"));
      return;
    case "date-time":
    case "micro-time": {
      const [, seconds = "", fraction = "0"] = /^(.{19})(?:\.(\d+))?Z$/.exec(String(value)) ?? [];
      message.uint32(tag(1, 0)).int64(Number(new globalThis.Date(`${seconds}Z`)) / 1000);
      message.uint32(tag(2, 0)).int32(Number(fraction.padEnd(9, "0")));
      break;
    }
    case "duration":
      message.uint32(tag(1, 0)).int64(parseDurationMs(String(value)) * 1_000_000);
      break;
    case "quantity":
      message.uint32(tag(1, 2)).string(String(value));
      break;
    case "int-or-string":
      message.uint32(tag(1, 0)).int64(typeof value === "number" ? 0 : 1);
      message.uint32(tag(2, 0)).int32(typeof value === "number" ? value : 0);
      message.uint32(tag(3, 2)).string(typeof value === "number" ? "" : value);
      break;
    default:
      writer.uint32(tag(fieldNumber, 2)).string(String(value));
      return;
  }
  writer.uint32(tag(fieldNumber, 2)).bytes(message.finish());
}
