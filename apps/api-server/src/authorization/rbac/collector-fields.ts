import { sameJson } from "@kintsugi/api";
import type { JsonObject } from "../../json.ts";

/** The garbage collector and the server itself change these fields while an object is deleted. */
const collectorFields = ["finalizers", "ownerReferences", "managedFields", "resourceVersion", "generation"];

/**
 * Reports whether a write only takes part in removing the object, like upstream's
 * IsOnlyMutatingGCFields.
 */
export function changesOnlyCollectorFields(object: JsonObject, before: JsonObject): boolean {
  return sameJson(withoutCollectorFields(object), withoutCollectorFields(before));
}

function withoutCollectorFields(object: JsonObject): JsonObject {
  const { metadata, ...rest } = object;
  const kept = Object.entries((metadata ?? {}) as JsonObject).filter(([field]) => !collectorFields.includes(field));
  return { ...rest, metadata: Object.fromEntries(kept) };
}
