import type { JsonObject } from "@kintsugi/api";

/** True for a value that has members. */
export function hasMembers(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
