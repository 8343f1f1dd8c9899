import { apiVersionOf, type JsonObject, type Status } from "@kintsugi/api";
import type { Entry } from "@kintsugi/store";
import { type ObjectWriter, objectWriterFor } from "../answers/object-writer.ts";
import { metadataAlone, statusType } from "../answers/protobuf-answer.ts";
import { cborBody, cborFrame } from "../cbor/index.ts";
import type { ResponseForm } from "../http/negotiate.ts";
import { protobufBody, protobufFrame } from "../protobuf/index.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";
import { bytesAs, decodeAs, decodeStored, storedResource } from "../resources/requested-form.ts";

type EventType = "ADDED" | "MODIFIED" | "DELETED";

/**
 * Makes watch events of one resource in one form. There is one instance per resource and form, so
 * that frames can be shared.
 */
export interface EventEncoder {
  event(type: EventType, entry: Entry): Uint8Array;
  /** The last state that a selector matched, sent as deleted at `revision`. */
  left(before: Entry, revision: number): Uint8Array;
  bookmark(revision: number, initialEventsEnd: boolean): Uint8Array;
  /** An ERROR event, which is the last event of a watch. */
  error(status: Status): Uint8Array;
}

export function createEventEncoder(resource: Resource, form: ResponseForm, nowMs: () => number): EventEncoder {
  const writer = form.as === "object" ? undefined : objectWriterFor(resource, form, nowMs);
  switch (form.encoding) {
    case "protobuf":
      return protobufEncoder(resource, form, writer);
    case "cbor":
      return cborEncoder(resource, form, writer);
    default:
      return jsonEncoder(resource, form, writer);
  }
}

const closing = Buffer.from("}\n");
const openings: Readonly<Record<EventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};

/** Each event is a line. */
function jsonEncoder(resource: Resource, form: ResponseForm, writer: ObjectWriter | undefined): EventEncoder {
  const whole = (entry: Entry): Uint8Array =>
    writer === undefined ? bytesAs(resource, entry) : writer(decodeAs(resource, entry));
  return {
    event: (type, entry) => Buffer.concat([openings[type], whole(entry), closing]),
    left: (before, revision) => {
      const seen = leftObject(resource, before, revision);
      const bytes = writer === undefined ? Buffer.from(JSON.stringify(seen)) : writer(seen);
      return Buffer.concat([openings.DELETED, bytes, closing]);
    },
    bookmark: (revision, initialEventsEnd) => {
      const object = bookmarkObject(resource, { form, revision, initialEventsEnd });
      return Buffer.from(`{"type":"BOOKMARK","object":${JSON.stringify(object)}}\n`);
    },
    error: (status) => Buffer.from(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`),
  };
}

/** Each event is a length-prefixed message. */
function protobufEncoder(resource: Resource, form: ResponseForm, writer: ObjectWriter | undefined): EventEncoder {
  const { description } = resource;
  const type = writer === undefined && description.type === "object" ? description : metadataAlone;
  const frame = (name: string, object: JsonObject) => protobufFrame(name, protobufBody(object, type));
  return {
    ...objectEncoder(resource, form, {
      frame,
      shown: (object) => writer?.item(object) ?? (object as unknown as JsonObject),
    }),
    error: (status) => protobufFrame("ERROR", protobufBody(status as unknown as JsonObject, statusType)),
  };
}

/** Each event is an item of a sequence. */
function cborEncoder(resource: Resource, form: ResponseForm, writer: ObjectWriter | undefined): EventEncoder {
  const type = writer === undefined ? resource.description : undefined;
  return {
    ...objectEncoder(resource, form, {
      frame: (name, object) => cborFrame(name, cborBody(object, type)),
      shown: (object) => writer?.whole(object) ?? (object as unknown as JsonObject),
    }),
    error: (status) => cborFrame("ERROR", cborBody(status as unknown as JsonObject)),
  };
}

interface ObjectFrames {
  readonly frame: (type: EventType | "BOOKMARK", object: JsonObject) => Uint8Array;
  /** The object in the requested form. */
  readonly shown: (object: KubeObject) => JsonObject;
}

/** The events of objects that are encoded again for each form. */
function objectEncoder(
  resource: Resource,
  form: ResponseForm,
  { frame, shown }: ObjectFrames,
): Omit<EventEncoder, "error"> {
  return {
    event: (name, entry) => frame(name, shown(decodeAs(resource, entry))),
    left: (before, revision) => frame("DELETED", shown(leftObject(resource, before, revision))),
    bookmark: (revision, initialEventsEnd) =>
      frame("BOOKMARK", bookmarkObject(resource, { form, revision, initialEventsEnd })),
  };
}

function leftObject(resource: Resource, before: Entry, revision: number): KubeObject {
  const object = decodeStored(storedResource(resource), before);
  object.metadata.resourceVersion = String(revision);
  return resource.view === undefined ? object : resource.view.fromStored(object);
}

function bookmarkObject(
  resource: Resource,
  { form, revision, initialEventsEnd }: { form: ResponseForm; revision: number; initialEventsEnd: boolean },
): JsonObject {
  const resourceVersion = String(revision);
  const metadata = {
    resourceVersion,
    creationTimestamp: null,
    ...(initialEventsEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
  };
  switch (form.as) {
    case "object":
      return { kind: resource.type.kind, apiVersion: apiVersionOf(resource.type), metadata };
    case "PartialObjectMetadata":
      return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${form.version}`, metadata };
    case "Table":
      // A bookmark in a Table has no rows, because clients read the position from its own metadata.
      return { ...objectWriterFor(resource, form, () => 0).header(), metadata: { resourceVersion }, rows: [] };
  }
}
