import { completeStatus, hasZeroStatus } from "@kintsugi/api";
import type { Entry } from "@kintsugi/store";
import { decodeEntry } from "./encoding.ts";
import type { KubeObject, Resource } from "./resource.ts";

/**
 * The resource under which objects of `resource` are stored: itself, unless it is a view of another
 * resource.
 */
export function storedResource(resource: Resource): Resource {
  return resource.view?.of ?? resource;
}

/**
 * Decodes an entry to an object of the stored kind. A kind whose schema is data may have changed
 * since the object was written.
 */
export function decodeStored(resource: Resource, entry: Entry): KubeObject {
  const stored = decodeEntry(entry);
  const { storedForm } = resource.kind;
  return storedForm === undefined || storedForm.isServed ? stored : storedForm.read(stored);
}

/** Decodes an entry to an object of the requested kind. */
export function decodeAs(resource: Resource, entry: Entry): KubeObject {
  const stored = decodeStored(resource, entry);
  return resource.view === undefined ? stored : resource.view.fromStored(stored);
}

/**
 * Returns an entry's bytes in the requested representation, and the stored bytes themselves where
 * possible.
 */
export function bytesAs(resource: Resource, entry: Entry): Uint8Array {
  const isStoredForm = resource.view === undefined && resource.kind.storedForm?.isServed !== false;
  if (!isStoredForm) return Buffer.from(JSON.stringify(decodeAs(resource, entry)));
  return lacksStatus(resource, entry) ? withStatus(resource, entry) : entry.value;
}

const statusKey = Buffer.from('"status":');

/** Objects of earlier versions were stored without the empty status that upstream always writes. */
function lacksStatus({ type }: Resource, { value }: Entry): boolean {
  return hasZeroStatus(type) && !Buffer.from(value.buffer, value.byteOffset, value.byteLength).includes(statusKey);
}

function withStatus({ type }: Resource, entry: Entry): Uint8Array {
  const object = decodeEntry(entry);
  completeStatus(type, object);
  return Buffer.from(JSON.stringify(object));
}
