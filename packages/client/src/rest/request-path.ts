import { objectPath, type ResourceType } from "@kintsugi/api";

/**
 * The parts of a resource URL. Without a name the URL is the URL of the collection, in one
 * namespace or over all namespaces.
 */
export interface Target {
  namespace?: string | undefined;
  name?: string | undefined;
  type: Pick<ResourceType, "group" | "version" | "resource" | "namespaced">;
  subresource?: string | undefined;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * The path of a resource, with its query:
 * "/api/v1/namespaces/default/pods/web-0/binding?dryRun=All".
 */
export function requestPath(target: Target, query: Query = {}): string {
  const { type, namespace = "", name = "", subresource } = target;
  return `${objectPath(type, { namespace, name }, subresource)}${queryText(query)}`;
}

/**
 * Returns `requestPath` for a single object, and rejects an empty name, which would silently
 * address the whole collection.
 */
export function objectRequestPath(target: Target, query: Query = {}): string {
  if (!target.name) throw new TypeError(`a request for a single object of ${target.type.resource} has no name`);
  return requestPath(target, query);
}

function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`],
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
