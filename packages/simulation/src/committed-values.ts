import { isConditionTrue, type Node, type Pod, type ResourcePath } from "@kintsugi/api";

/** Reports whether a node, or a pod, has the condition Ready. */
export function isReady(object: Node | Pod): boolean {
  return isConditionTrue(object.status?.conditions, "Ready");
}

/**
 * Parses the object in committed, or sent, bytes.
 * @throws SyntaxError for invalid JSON.
 */
export function parseValue<T>(value: Uint8Array): T {
  return JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()) as T;
}

/** The store's name of a resource: "core/pods", "apps/replicasets". */
export function storeResource({ group, resource }: Pick<ResourcePath, "group" | "resource">): string {
  return `${group || "core"}/${resource}`;
}
