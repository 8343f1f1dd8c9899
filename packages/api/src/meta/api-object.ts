import type { ListMeta } from "./list-meta.ts";
import type { ObjectMeta } from "./object-meta.ts";

/** The fields that every object has. */
export interface ApiObject {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata: ObjectMeta;
}

/** The response to a list request. */
export interface ApiList<T extends ApiObject = ApiObject> {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata: ListMeta;
  items: T[];
}
