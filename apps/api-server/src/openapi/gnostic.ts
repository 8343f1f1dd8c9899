import type { JsonObject, JsonValue } from "@kintsugi/api";
import protobuf from "protobufjs/minimal.js";

type Writer = protobuf.Writer;

/** Writes the value of one member of a JSON object. */
type FieldWriter = (writer: Writer, value: JsonValue) => void;

/** A message of gnostic's OpenAPIv2.proto: how each member of the JSON form is written. */
interface Message {
  readonly fields: Readonly<Record<string, FieldWriter>>;
  /** The field of members whose names begin with `x-`. */
  readonly extensions?: number;
}

/**
 * An OpenAPI 2 document in the protobuf form of google/gnostic, which kubectl reads. The field
 * numbers are gnostic's.
 */
export function encodeGnostic(document: JsonObject): Uint8Array {
  return encode(document, documentMessage);
}

function encode(object: JsonObject, { fields, extensions }: Message): Uint8Array {
  const writer = protobuf.Writer.create();
  for (const [member, value] of Object.entries(object)) {
    const write = fields[member];
    if (write !== undefined) {
      write(writer, value);
    } else if (extensions !== undefined && member.startsWith("x-")) {
      // This field holds YAML, and JSON is YAML.
      writeNamed(writer, extensions, { name: member, value: encodeYaml(value) });
    }
  }
  return writer.finish();
}

function tag(fieldNumber: number, wireType: 0 | 2): number {
  return (fieldNumber << 3) | wireType;
}

function text(fieldNumber: number): FieldWriter {
  return (writer, value) => writer.uint32(tag(fieldNumber, 2)).string(value as string);
}

function flag(fieldNumber: number): FieldWriter {
  return (writer, value) => writer.uint32(tag(fieldNumber, 0)).bool(value as boolean);
}

function each(write: FieldWriter): FieldWriter {
  return (writer, value) => (value as JsonValue[]).forEach((item) => write(writer, item));
}

/** A message that is looked up when it is written, because schemas are recursive. */
function message(fieldNumber: number, type: () => Message): FieldWriter {
  return (writer, value) => writer.uint32(tag(fieldNumber, 2)).bytes(encode(value as JsonObject, type()));
}

/** A message inside messages without other fields. */
function nested(fieldNumbers: readonly number[], type: () => Message): FieldWriter {
  return (writer, value) => {
    const wrapped = fieldNumbers
      .slice(1)
      .reduceRight<Uint8Array>(
        (inner, fieldNumber) => protobuf.Writer.create().uint32(tag(fieldNumber, 2)).bytes(inner).finish(),
        encode(value as JsonObject, type()),
      );
    writer.uint32(tag(fieldNumbers[0] ?? 0, 2)).bytes(wrapped);
  };
}

/** The members of an object as a list of names and messages, in a separate message. */
function map(fieldNumber: number, inner: number, type: () => Message): FieldWriter {
  return (writer, value) => {
    const entries = protobuf.Writer.create();
    for (const [name, content] of Object.entries(value as JsonObject)) {
      writeNamed(entries, inner, { name, value: encode(content as JsonObject, type()) });
    }
    writer.uint32(tag(fieldNumber, 2)).bytes(entries.finish());
  };
}

function writeNamed(writer: Writer, fieldNumber: number, entry: { name: string; value: Uint8Array }): void {
  const named = protobuf.Writer.create().uint32(tag(1, 2)).string(entry.name).uint32(tag(2, 2)).bytes(entry.value);
  writer.uint32(tag(fieldNumber, 2)).bytes(named.finish());
}

function encodeYaml(value: JsonValue): Uint8Array {
  return protobuf.Writer.create().uint32(tag(2, 2)).string(JSON.stringify(value)).finish();
}

const infoMessage: Message = { fields: { title: text(1), version: text(2) } };

const schemaMessage: Message = {
  fields: {
    $ref: text(1),
    format: text(2),
    description: text(4),
    required: each(text(19)),
    enum: each((writer, value) => writer.uint32(tag(20, 2)).bytes(encodeYaml(value))),
    additionalProperties: nested([21, 1], () => schemaMessage),
    type: (writer, value) =>
      writer.uint32(tag(22, 2)).bytes(
        protobuf.Writer.create()
          .uint32(tag(1, 2))
          .string(value as string)
          .finish(),
      ),
    items: nested([23, 1], () => schemaMessage),
    properties: map(25, 1, () => schemaMessage),
  },
  extensions: 31,
};

const bodyParameterMessage: Message = {
  fields: {
    description: text(1),
    name: text(2),
    in: text(3),
    required: flag(4),
    schema: message(5, () => schemaMessage),
  },
};
const queryParameterMessage: Message = {
  fields: { required: flag(1), in: text(2), description: text(3), name: text(4), type: text(6), uniqueItems: flag(20) },
};
const pathParameterMessage: Message = {
  fields: { required: flag(1), in: text(2), description: text(3), name: text(4), type: text(5), uniqueItems: flag(19) },
};

/**
 * The location of a parameter determines its kind: parameter 1 → body 1, or other 2 → query 3 or
 * path 4.
 */
function parameter(fieldNumber: number): FieldWriter {
  const kinds: Readonly<Record<string, FieldWriter>> = {
    body: nested([fieldNumber, 1, 1], () => bodyParameterMessage),
    query: nested([fieldNumber, 1, 2, 3], () => queryParameterMessage),
    path: nested([fieldNumber, 1, 2, 4], () => pathParameterMessage),
  };
  return (writer, value) => kinds[(value as JsonObject)["in"] as string]?.(writer, value);
}

const responseMessage: Message = { fields: { description: text(1), schema: nested([2, 1], () => schemaMessage) } };

const operationMessage: Message = {
  fields: {
    tags: each(text(1)),
    operationId: text(5),
    produces: each(text(6)),
    consumes: each(text(7)),
    parameters: each(parameter(8)),
    responses: (writer, value) => {
      const responses = protobuf.Writer.create();
      for (const [code, response] of Object.entries(value as JsonObject)) {
        const content = protobuf.Writer.create();
        content.uint32(tag(1, 2)).bytes(encode(response as JsonObject, responseMessage));
        writeNamed(responses, 1, { name: code, value: content.finish() });
      }
      writer.uint32(tag(9, 2)).bytes(responses.finish());
    },
  },
  extensions: 13,
};

const pathItemMessage: Message = {
  fields: {
    get: message(2, () => operationMessage),
    put: message(3, () => operationMessage),
    post: message(4, () => operationMessage),
    delete: message(5, () => operationMessage),
    patch: message(8, () => operationMessage),
    parameters: each(parameter(9)),
  },
};

const documentMessage: Message = {
  fields: {
    swagger: text(1),
    info: message(2, () => infoMessage),
    paths: map(8, 2, () => pathItemMessage),
    definitions: map(9, 1, () => schemaMessage),
  },
};
