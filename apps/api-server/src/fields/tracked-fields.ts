import type { JsonObject } from "@kintsugi/api";

/**
 * Returns the object without the fields that never have an owner: its identity and the server's own
 * metadata.
 */
export function tracked(object: JsonObject): JsonObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object;
  if (typeof metadata !== "object" || metadata === null) return rest;
  const owned: JsonObject = {};
  for (const field of ownedMetadata) {
    const value = (metadata as JsonObject)[field];
    if (value !== undefined) owned[field] = value;
  }
  return Object.keys(owned).length === 0 ? rest : { metadata: owned, ...rest };
}

/** Returns the rest of the tracked part of `object`, with the fields that never have an owner. */
export function withUntracked(left: JsonObject, object: JsonObject): JsonObject {
  const { apiVersion, kind, metadata } = object;
  const owned = (left["metadata"] ?? {}) as JsonObject;
  const whole: JsonObject = { ...(apiVersion !== undefined && { apiVersion }), ...(kind !== undefined && { kind }) };
  if (typeof metadata !== "object" || metadata === null) return { ...whole, ...left };
  const identity: JsonObject = { ...(metadata as JsonObject) };
  for (const field of ownedMetadata) delete identity[field];
  return { ...whole, ...left, metadata: { ...identity, ...owned } };
}

const ownedMetadata = ["labels", "annotations", "generateName", "ownerReferences", "finalizers"] as const;
