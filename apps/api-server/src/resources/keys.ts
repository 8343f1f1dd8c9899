import type { ResourceType } from "@kintsugi/api";

/** The store's name of a resource: "core/pods", "apps/replicasets". */
export function storeResource(type: Pick<ResourceType, "group" | "resource">): string {
  return `${type.group === "" ? "core" : type.group}/${type.resource}`;
}

export function storeKey(type: Pick<ResourceType, "group" | "resource">, namespace: string, name: string): string {
  return `${storeResource(type)}/${namespace === "" ? "_" : namespace}/${name}`;
}

/** The prefix of all objects of a resource, or of its objects in one namespace. */
export function storePrefix(type: Pick<ResourceType, "group" | "resource">, namespace: string): string {
  return namespace === "" ? `${storeResource(type)}/` : `${storeResource(type)}/${namespace}/`;
}

export interface StoreKeyParts {
  group: string;
  resource: string;
  namespace: string;
  name: string;
}

/** The reverse of `storeKey`. */
export function parseStoreKey(key: string): StoreKeyParts {
  const [group = "", resource = "", namespace = "", name = ""] = key.split("/");
  return { group: group === "core" ? "" : group, resource, namespace: namespace === "_" ? "" : namespace, name };
}
