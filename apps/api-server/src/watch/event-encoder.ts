import type { Entry } from "@kintsugi/store";
import { apiVersionOf } from "@kintsugi/api";
import type { ResponseForm } from "../http/negotiate.ts";
import type { Resource } from "../resources/resource.ts";
import { bytesAs, decodeAs, decodeStored, storedResource } from "../resources/view.ts";
import { type ObjectWriter, objectWriterFor } from "../answers/object-writer.ts";

type EventType = "ADDED" | "MODIFIED" | "DELETED";

/**
 * Makes watch events of one resource in one form. One instance per resource and form exists, so
 * frames can be shared.
 */
export interface EventEncoder {
  event(type: EventType, entry: Entry): Uint8Array;
  /** The last state that a selector matched, sent as deleted at `revision`. */
  left(before: Entry, revision: number): Uint8Array;
  bookmark(revision: number, initialEventsEnd: boolean): Uint8Array;
}

const closing = Buffer.from("}\n");
const openings: Readonly<Record<EventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};

export function createEventEncoder(resource: Resource, form: ResponseForm, nowMs: () => number): EventEncoder {
  const writer: ObjectWriter | undefined = form.as === "object" ? undefined : objectWriterFor(resource, form, nowMs);
  const whole = (entry: Entry): Uint8Array =>
    writer === undefined ? bytesAs(resource, entry) : writer(decodeAs(resource, entry));
  return {
    event: (type, entry) => Buffer.concat([openings[type], whole(entry), closing]),
    left: (before, revision) => {
      const object = decodeStored(storedResource(resource), before);
      object.metadata.resourceVersion = String(revision);
      const seen = resource.view === undefined ? object : resource.view.fromStored(object);
      const bytes = writer === undefined ? Buffer.from(JSON.stringify(seen)) : writer(seen);
      return Buffer.concat([openings.DELETED, bytes, closing]);
    },
    bookmark: (revision, initialEventsEnd) => bookmark(resource, { form, revision, initialEventsEnd }),
  };
}

function bookmark(
  resource: Resource,
  options: { form: ResponseForm; revision: number; initialEventsEnd: boolean },
): Uint8Array {
  const metadata = {
    resourceVersion: String(options.revision),
    creationTimestamp: null,
    ...(options.initialEventsEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
  };
  const object = { kind: resource.type.kind, apiVersion: apiVersionOf(resource.type), metadata };
  const shown = options.form.as === "object" ? object : bookmarkInForm(resource, object, options.form);
  return Buffer.from(`{"type":"BOOKMARK","object":${JSON.stringify(shown)}}\n`);
}

/** A bookmark in a Table has no rows: clients read the position from its own metadata. */
function bookmarkInForm(
  resource: Resource,
  object: { metadata: { resourceVersion: string } },
  form: Exclude<ResponseForm, { as: "object" }>,
): unknown {
  const apiVersion = `meta.k8s.io/${form.version}`;
  if (form.as === "PartialObjectMetadata")
    return { kind: "PartialObjectMetadata", apiVersion, metadata: object.metadata };
  const empty = objectWriterFor(resource, form, () => 0).header();
  return { ...empty, metadata: { resourceVersion: object.metadata.resourceVersion }, rows: [] };
}

/** An ERROR event, which is the last one before a watch ends. */
export function errorEvent(status: object): Uint8Array {
  return Buffer.from(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`);
}
