import { toStatus } from "@kintsugi/api";
import type { Entry } from "@kintsugi/store";
import { toApiError } from "../http/status.ts";
import type { Conversions } from "../resources/conversions.ts";
import { encodeObject, joinEncoded } from "../resources/encoding.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";
import type { EventEncoder } from "./event-encoder.ts";

const stored = new WeakMap<Resource, Resource>();

/** The resource with its objects in the stored form, whose events wait for their conversion. */
export function asStored(resource: Resource): Resource {
  const { storedForm } = resource.kind;
  let made = stored.get(resource);
  if (made === undefined && storedForm !== undefined) {
    made = { ...resource, kind: { ...resource.kind, storedForm: { ...storedForm, isServed: true } } };
    stored.set(resource, made);
  }
  return made ?? resource;
}

interface StoredEvent {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  object: KubeObject;
}

/** The selection of a watch whose selectors are compared after the conversion. */
export interface ConvertedSelection {
  matches(entry: Entry): boolean;
  /** The objects at the start of the watch. Its client has seen the objects that match. */
  known: readonly Entry[];
}

/**
 * Reads the lines of a watch of stored objects, and writes the same events with each object in the
 * version of `resource`. A conversion that fails ends the watch with an error.
 */
export async function* convertedEvents(
  lines: AsyncIterable<Uint8Array>,
  target: {
    resource: Resource;
    encoder: EventEncoder;
    conversions: Conversions;
    signal: AbortSignal;
    selection: ConvertedSelection | undefined;
  },
): AsyncGenerator<Uint8Array> {
  const { resource, encoder, conversions, signal, selection } = target;
  let shown: Set<string> | undefined;
  let typeOf = (event: ObjectEvent, _entry: Entry): ObjectEvent["type"] | undefined => event.type;
  for await (const chunk of lines) {
    // A chunk contains only whole lines.
    const events = Buffer.from(chunk)
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as StoredEvent);
    const frames: Uint8Array[] = [];
    try {
      if (selection !== undefined && shown === undefined) {
        shown = await shownOf(selection, (entries) => conversions.toServed(resource, entries, signal));
        const known = shown;
        typeOf = (event, entry) => changeOf(event, known, selection.matches(entry));
      }
      const entries = await conversions.toServed(resource, events.filter(isOfObject).map(entryOf), signal);
      let next = 0;
      for (const event of events) {
        if (isOfObject(event)) {
          const entry = entries[next++] as Entry;
          const type = typeOf(event, entry);
          if (type !== undefined) frames.push(encoder.event(type, entry));
        } else frames.push(frameOf(event, encoder));
      }
    } catch (error) {
      const refusal = toApiError(error);
      if (refusal === undefined) throw error;
      yield encoder.error(toStatus(refusal));
      return;
    }
    if (frames.length > 0) yield Buffer.concat(frames);
  }
}

async function shownOf(
  selection: ConvertedSelection,
  convert: (entries: readonly Entry[]) => readonly Entry[] | Promise<readonly Entry[]>,
): Promise<Set<string>> {
  const entries = await convert(selection.known);
  return new Set(entries.filter((entry) => selection.matches(entry)).map(({ index }) => index.uid));
}

/**
 * Returns the event for a client that has seen the objects `shown`, which is updated; undefined
 * where the client has not seen the object. An object that no longer matches is shown in its
 * current state.
 */
function changeOf(
  { type, object }: ObjectEvent,
  shown: Set<string>,
  matches: boolean,
): ObjectEvent["type"] | undefined {
  const { uid = "" } = object.metadata;
  if (type === "DELETED" || !matches) return shown.delete(uid) ? "DELETED" : undefined;
  if (shown.has(uid)) return "MODIFIED";
  shown.add(uid);
  return "ADDED";
}

type ObjectEvent = StoredEvent & { type: "ADDED" | "MODIFIED" | "DELETED" };

function isOfObject(event: StoredEvent): event is ObjectEvent {
  return event.type !== "BOOKMARK" && event.type !== "ERROR";
}

function entryOf({ object }: StoredEvent): Entry {
  const { uid = "", namespace = "", name = "", resourceVersion = "0" } = object.metadata;
  const revision = Number(resourceVersion);
  const value = joinEncoded(encodeObject(object), revision);
  return { key: `${namespace}/${name}/${uid}`, revision, value, index: { uid } as Entry["index"] };
}

function frameOf({ type, object }: StoredEvent, encoder: EventEncoder): Uint8Array {
  if (type === "ERROR") return encoder.error(object as unknown as ReturnType<typeof toStatus>);
  const { resourceVersion = "0", annotations = {} } = object.metadata;
  return encoder.bookmark(Number(resourceVersion), annotations["k8s.io/initial-events-end"] === "true");
}
