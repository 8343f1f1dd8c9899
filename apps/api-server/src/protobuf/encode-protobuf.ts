import { describeSchema, type JsonObject, ListMeta, type TypeDescription } from "@kintsugi/api";
import protobuf from "protobufjs/minimal.js";
import { bytesField, encodeMessage } from "./encode-value.ts";

type ObjectDescription = Extract<TypeDescription, { type: "object" }>;

interface Named {
  apiVersion: string;
  kind: string;
}

/** Every body begins with `k8s` and NUL. */
const magic = Buffer.from("k8s\0");

/**
 * An object as a whole body in `application/vnd.kubernetes.protobuf`, the reverse of
 * `decodeProtobuf`. Fields without a number in protobuf are omitted.
 */
export function protobufBody(object: JsonObject, type: ObjectDescription): Uint8Array {
  const raw = encodeMessage(object, type);
  return Buffer.concat([envelope(object as unknown as Named, raw.byteLength), raw]);
}

/** The parts of a list as one body, in which the items are concatenated. */
export interface ProtobufList {
  /** The bytes before the items, given the total length of the items. */
  opening(itemsBytes: number): Uint8Array;
  item(object: JsonObject): Uint8Array;
}

/** The form of a list of objects of one type: field 1 has its metadata, field 2 each item. */
export function protobufList(head: Named & { metadata: JsonObject }, type: ObjectDescription): ProtobufList {
  const listMeta = encodeMessage(head.metadata, describedListMeta());
  const metadata = bytesField(protobuf.Writer.create(), 1).bytes(listMeta).finish();
  return {
    opening: (itemsBytes) => Buffer.concat([envelope(head, metadata.byteLength + itemsBytes), metadata]),
    item: (object) => bytesField(protobuf.Writer.create(), 2).bytes(encodeMessage(object, type)).finish(),
  };
}

function describedListMeta(): ObjectDescription {
  const type = describeSchema(ListMeta);
  if (type.type !== "object") throw new Error("the metadata of a list is an object");
  return type;
}

/**
 * One event of a watch as a frame: the length of the message in four bytes, and a WatchEvent, whose
 * object is a whole body.
 */
export function protobufFrame(type: string, body: Uint8Array): Uint8Array {
  const writer = protobuf.Writer.create();
  bytesField(writer, 1).string(type);
  bytesField(writer, 2).fork();
  bytesField(writer, 1).bytes(body);
  const event = writer.ldelim().finish();
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.byteLength);
  return Buffer.concat([length, event]);
}

/** The start of runtime.Unknown, up to the bytes of the object itself. */
function envelope({ apiVersion, kind }: Named, rawBytes: number): Uint8Array {
  const writer = protobuf.Writer.create();
  bytesField(writer, 1).fork();
  bytesField(writer, 1).string(apiVersion);
  bytesField(writer, 2).string(kind);
  writer.ldelim();
  bytesField(writer, 2).uint32(rawBytes);
  return Buffer.concat([magic, writer.finish()]);
}
