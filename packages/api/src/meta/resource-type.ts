import type { ApiObject } from "./api-object.ts";

/**
 * One kind as clients address it. `T` is the object's TypeScript type; it exists only for the
 * compiler.
 */
export interface ResourceType<T extends ApiObject = ApiObject> {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural, as in URLs: "pods". */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  /** kubectl's groupings: "all". */
  readonly categories: readonly string[];
  /** Never present at run time. */
  readonly object?: T;
}

/** A kind that is addressed below objects of another kind: `pods/{name}/eviction`. */
export interface SubresourceType<T extends object = object> {
  readonly group: string;
  readonly version: string;
  /** The last part of the URL. */
  readonly subresource: string;
  readonly kind: string;
  /** Never present at run time. */
  readonly object?: T;
}

/** An object's place inside its resource. `namespace` is "" for cluster-scoped kinds. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/** The key of an object; the name is empty if the object does not have one yet. */
export function keyOf({ metadata }: ApiObject): ObjectKey {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}

/** Formats a key: "default/web-0", or "node-1" for cluster-scoped objects. */
export function formatKey(key: ObjectKey): string {
  return key.namespace === "" ? key.name : `${key.namespace}/${key.name}`;
}

/** The reverse of `formatKey`. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf("/");
  return slash < 0 ? { namespace: "", name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** The API version text: "v1", "apps/v1". */
export function apiVersionOf(type: Pick<ResourceType, "group" | "version">): string {
  return type.group === "" ? type.version : `${type.group}/${type.version}`;
}
