import type { ObjectKey, ResourceType } from "./meta/resource-type.ts";

type Addressed = Pick<ResourceType, "group" | "version" | "resource" | "namespaced">;

/** `/api/v1` or `/apis/apps/v1`. */
export function groupVersionPath(type: Pick<ResourceType, "group" | "version">): string {
  return type.group === "" ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
}

/**
 * The URL path of an object, or of one of its subresources. Without `key`, the collection over all
 * namespaces; with a key whose name is "", the collection in its namespace.
 */
export function objectPath(type: Addressed, key?: ObjectKey, subresource?: string): string {
  const base = groupVersionPath(type);
  const scope =
    type.namespaced && key !== undefined && key.namespace !== "" ? `/namespaces/${encode(key.namespace)}` : "";
  const collection = `${base}${scope}/${type.resource}`;
  if (key === undefined || key.name === "") return collection;
  return `${collection}/${encode(key.name)}${subresource === undefined ? "" : `/${subresource}`}`;
}

/** The collection's path: in one namespace, or in all namespaces. */
export function collectionPath(type: Addressed, namespace?: string): string {
  return objectPath(type, namespace === undefined ? undefined : { namespace, name: "" });
}

/** The target of a resource URL, before it is known whether such a resource is served. */
export interface ResourcePath {
  group: string;
  version: string;
  resource: string;
  /** "" over all namespaces, or for cluster-scoped resources. */
  namespace: string;
  /** "" for the collection. */
  name: string;
  /** "" for the object itself. A further path may follow `proxy` and some other subresources. */
  subresource: string;
  /** The path after the subresource, without the leading slash. */
  rest: string;
}

/** Parses a path made by `objectPath`; `undefined` when it has another form. */
export function parseObjectPath(path: string): ResourcePath | undefined {
  const parts = path.split("/").slice(1);
  const root = parts.shift();
  const group = root === "apis" ? decode(parts.shift()) : root === "api" ? "" : undefined;
  const version = decode(parts.shift());
  if (group === undefined || version === undefined || (root === "apis" && group === "")) return undefined;
  const [first, second, third] = parts;
  // `/namespaces/x` and its subresources refer to the Namespace itself; any longer path refers to
  // its content.
  const inside = first === "namespaces" && third !== undefined && !namespaceSubresources.has(third);
  const namespace = inside ? decode(second) : "";
  const [resource, name, subresource, ...rest] = inside ? parts.slice(2) : parts;
  if (namespace === undefined || (inside && namespace === "") || resource === undefined || resource === "")
    return undefined;
  const decodedName = decode(name ?? "");
  if (decodedName === undefined) return undefined;
  return {
    group,
    version,
    resource,
    namespace,
    name: decodedName,
    subresource: subresource ?? "",
    rest: rest.join("/"),
  };
}

const namespaceSubresources = new Set(["status", "finalize"]);

function encode(part: string): string {
  return encodeURIComponent(part).replaceAll("%3A", ":");
}

function decode(part: string | undefined): string | undefined {
  if (part === undefined) return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
