import type { JsonObject, JsonValue } from "@kintsugi/api";
import { hasMembers } from "../json.ts";

/**
 * The names of a path that passes through objects only: `.spec.replicas`; undefined for other
 * paths.
 */
export function simplePath(text: string): readonly string[] | undefined {
  if (!text.startsWith(".")) return undefined;
  const names = text.slice(1).split(".");
  return names.every((name) => /^[\w-]+$/.test(name) && name !== "__proto__") ? names : undefined;
}

/** The value at a path of names; undefined if a member is missing. */
export function valueAt(object: JsonValue, names: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const name of names) {
    if (!hasMembers(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Sets the value at a path of names, in place; missing objects on the path are created. */
export function setValueAt(object: JsonObject, names: readonly string[], value: JsonValue): void {
  let at = object;
  for (const name of names.slice(0, -1)) {
    const next: JsonValue | undefined = Object.hasOwn(at, name) ? at[name] : undefined;
    const below: JsonObject = hasMembers(next) ? next : {};
    at[name] = below;
    at = below;
  }
  const last = names.at(-1);
  if (last !== undefined) at[last] = value;
}
