import type { JsonValue } from "./json.ts";

/** Converts a value of JSON to one of an expression; integers are exact, and no key is special. */
export function celOfJson(value: JsonValue | undefined): unknown {
  if (value === undefined) return null;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celOfJson);
  if (value === null || typeof value !== "object") return value;
  const result = new Map<string, unknown>();
  for (const [key, member] of Object.entries(value as Readonly<Record<string, JsonValue | undefined>>)) {
    if (member !== undefined) result.set(key, celOfJson(member));
  }
  return result;
}
