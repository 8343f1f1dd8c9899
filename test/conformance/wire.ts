import { decodeProtobuf, protobufBody } from "@kintsugi/api-server/factory";
import { builtInKinds, describeSchema, Eviction, Scale, TokenRequest, type TypeDescription } from "@kintsugi/api";

// The two encodings of upstream's tests (`--kube-api-content-type`). Protobuf is used for built-in
// kinds; lists, Status and watch events have their formats here.

export const wireEncodings = ["json", "protobuf"] as const;
export type WireEncoding = (typeof wireEncodings)[number];

const protobufType = "application/vnd.kubernetes.protobuf";
export const mediaTypes: Readonly<Record<WireEncoding, string>> = {
  json: "application/json",
  protobuf: `${protobufType}, application/json`,
};

type ObjectDescription = Extract<TypeDescription, { type: "object" }>;
type JsonObject = Parameters<typeof protobufBody>[0];

/** A list of hundreds of objects is not an attack in a test. */
const valuesMax = 10_000_000;

const text = { type: "string" } as const;
const number = { type: "integer", format: "int32" } as const;
const listMeta = objectOf("ListMeta", { resourceVersion: [2, text], continue: [3, text] });
const status = objectOf("Status", {
  metadata: [1, listMeta],
  status: [2, text],
  message: [3, text],
  reason: [4, text],
  code: [6, number],
});

/** Kinds of subresources, which have no collection. */
const ofSubresources: Readonly<Record<string, TypeDescription>> = {
  "autoscaling/v1 Scale": describeSchema(Scale),
  "authentication.k8s.io/v1 TokenRequest": describeSchema(TokenRequest),
  "policy/v1 Eviction": describeSchema(Eviction),
};

/** Writes an object as the body of a request. */
export function bodyOf(object: object, encoding: WireEncoding): { bytes: Uint8Array; contentType: string } {
  const { apiVersion, kind } = object as { apiVersion: string; kind: string };
  const description = encoding === "protobuf" ? describe(apiVersion, kind) : undefined;
  if (description === undefined) {
    return { bytes: Buffer.from(JSON.stringify(object)), contentType: "application/json" };
  }
  return { bytes: protobufBody(object as JsonObject, description), contentType: protobufType };
}

/** Reads the body of an answer; undefined without a body. */
export function readWireBody(bytes: Buffer, contentType: string): unknown {
  if (bytes.byteLength === 0) return undefined;
  if (contentType.startsWith(protobufType)) return decodeProtobuf(bytes, describe, valuesMax);
  const body = bytes.toString("utf8");
  return contentType.includes("json") ? JSON.parse(body) : body;
}

/** Reads the events of a watch, as lines of JSON or as frames of protobuf. */
export class WireFrameReader {
  readonly #encoding: WireEncoding;
  #rest: Buffer = Buffer.alloc(0);

  constructor(encoding: WireEncoding) {
    this.#encoding = encoding;
  }

  read(chunk: Buffer): { type: string; object: unknown }[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const events = [];
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) events.push(this.#eventOf(frame));
    return events;
  }

  #next(): Buffer | undefined {
    // Custom kinds are sent as JSON to every client.
    const isText = this.#encoding === "json" || this.#rest[0] === 0x7b;
    const length = isText ? this.#rest.indexOf("\n") : this.#rest.length < 4 ? -1 : this.#rest.readUInt32BE(0);
    const start = isText ? 0 : 4;
    if (length === -1 || this.#rest.length < start + length) return undefined;
    const frame = this.#rest.subarray(start, start + length);
    this.#rest = this.#rest.subarray(start + length + (isText ? 1 : 0));
    return frame;
  }

  #eventOf(frame: Buffer): { type: string; object: unknown } {
    if (frame[0] === 0x7b) return JSON.parse(frame.toString("utf8")) as { type: string; object: unknown };
    // WatchEvent {1: type, 2: RawExtension {1: a whole body}}
    const fields = fieldsOf(frame);
    const object = fieldsOf(fields.get(2) ?? Buffer.alloc(0)).get(1) ?? Buffer.alloc(0);
    return { type: (fields.get(1) ?? "").toString(), object: decodeProtobuf(object, describe) };
  }
}

function describe(apiVersion: string, kind: string): ObjectDescription | undefined {
  if (kind === "Status") return status;
  const ofSubresource = ofSubresources[`${apiVersion} ${kind}`];
  if (ofSubresource?.type === "object") return ofSubresource;
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const found = (name: string) =>
    builtInKinds.find(({ type }) => type.group === group && type.version === version && type.kind === name)
      ?.description;
  const own = found(kind);
  const items = kind.endsWith("List") ? found(kind.slice(0, -"List".length)) : undefined;
  if (own !== undefined || items === undefined) return own;
  return objectOf(kind, { metadata: [1, listMeta], items: [2, { type: "list", items }] });
}

function objectOf(name: string, fields: Record<string, [number, TypeDescription]>): ObjectDescription {
  const described = Object.entries(fields).map(
    ([field, [protoNumber, type]]) => [field, { name: field, type, required: false, protoNumber }] as const,
  );
  return { type: "object", name, fields: new Map(described) };
}

/** The fields of a message that have bytes, each number once. */
function fieldsOf(message: Buffer): Map<number, Buffer> {
  const fields = new Map<number, Buffer>();
  for (let at = 0; at < message.length;) {
    const [tag, afterTag] = varint(message, at);
    const [length, start] = varint(message, afterTag);
    fields.set(tag >>> 3, message.subarray(start, start + length));
    at = start + length;
  }
  return fields;
}

function varint(bytes: Buffer, from: number): [value: number, next: number] {
  let value = 0;
  for (let at = from, shift = 0; ; at++, shift += 7) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return [value, at + 1];
  }
}
