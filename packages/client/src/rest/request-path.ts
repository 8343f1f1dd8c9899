import type { ResourceType } from "@kintsugi/api";

/** The pieces of a resource URL. An empty name addresses the collection. */
export interface Target {
  type: Pick<ResourceType, "group" | "version" | "resource" | "namespaced">;
  /** "" or absent: all namespaces, or a cluster-scoped kind. */
  namespace?: string | undefined;
  name?: string | undefined;
  subresource?: string | undefined;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The path of a resource, with its query: "/api/v1/namespaces/default/pods/web-0/binding?dryRun=All". */
export function requestPath(target: Target, query: Query = {}): string {
  const { group, version, resource, namespaced } = target.type;
  const parts = group === "" ? ["api", version] : ["apis", group, version];
  if (namespaced && target.namespace) parts.push("namespaces", target.namespace);
  parts.push(resource);
  if (target.name !== undefined) parts.push(target.name);
  if (target.subresource !== undefined) parts.push(target.subresource);
  return `/${parts.map(encodeURIComponent).join("/")}${queryText(query)}`;
}

function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`],
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
