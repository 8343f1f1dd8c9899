import { isConditionTrue, type Node, type Pod, type ResourcePath } from "@kintsugi/api";

/** Whether a node, or a pod, says of itself that it is Ready. */
export function isReady(object: Node | Pod): boolean {
  return isConditionTrue(object.status?.conditions, "Ready");
}

/** The object in what was committed, or sent. @throws SyntaxError when it is no JSON. */
export function parseValue<T>(value: Uint8Array): T {
  return JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()) as T;
}

/** The store's name of a resource: "core/pods", "apps/replicasets". */
export function storeResource({ group, resource }: Pick<ResourcePath, "group" | "resource">): string {
  return `${group || "core"}/${resource}`;
}
