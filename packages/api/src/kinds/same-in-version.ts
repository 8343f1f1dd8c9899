import type { ApiObject } from "../meta/api-object.ts";
import { apiVersionOf, type ResourceType } from "../meta/resource-type.ts";
import type { KindView } from "./define-kind.ts";

/** A view whose objects have the same fields under another apiVersion. */
export function sameInVersion<T extends ApiObject>(type: ResourceType<T>, of: ResourceType<T>): KindView<T> {
  return {
    of,
    toStored: (object) => ({ ...object, apiVersion: apiVersionOf(of) }),
    storedField: (field) => field,
    fromStored: (stored) => ({ ...(stored as T), apiVersion: apiVersionOf(type) }),
  };
}
