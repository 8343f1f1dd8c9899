import type { Entry } from "@kintsugi/store";
import { decodeEntry } from "./encoding.ts";
import type { KubeObject, Resource } from "./resource.ts";

/**
 * The resource under which objects of `resource` are stored: itself, unless it is a view of
 * another.
 */
export function storedResource(resource: Resource): Resource {
  return resource.view?.of ?? resource;
}

/** Decodes an entry to an object of the requested kind. */
export function decodeAs(resource: Resource, entry: Entry): KubeObject {
  const stored = decodeEntry(entry);
  return resource.view === undefined ? stored : resource.view.fromStored(stored);
}

/**
 * Returns an entry's bytes in the requested representation; the stored bytes themselves wherever
 * possible.
 */
export function bytesAs(resource: Resource, entry: Entry): Uint8Array {
  return resource.view === undefined ? entry.value : Buffer.from(JSON.stringify(decodeAs(resource, entry)));
}
