import type { ApiObject, Kind } from "@kintsugi/api";
import type { EncodedObject, EntryIndex } from "@kintsugi/store";
import { encodeObject } from "../resources/encoding.ts";
import { indexObject } from "../resources/entry-index.ts";
import { storeKey } from "../resources/keys.ts";

/** An object as the server stores it, and its key. */
export interface StoredObject {
  readonly key: string;
  readonly put: EncodedObject;
  readonly index: EntryIndex;
}

/**
 * Returns the stored form of an object after admission, defaults and validation, for a store that
 * is filled with the objects of another cluster before a server opens it.
 */
export function storedObject(kind: Kind, object: ApiObject): StoredObject {
  const { namespace = "", name = "" } = object.metadata;
  return {
    key: storeKey(kind.type, namespace, name),
    put: encodeObject(object),
    index: indexObject({ kind }, object, undefined),
  };
}
