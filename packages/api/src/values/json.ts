/** A value that JSON can express. Objects are plain: they were parsed from bytes. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

/**
 * Reports whether two JSON values are equal: the order of an object's keys does not matter, and a
 * key whose value is `undefined` counts as absent, as in its JSON text.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  return !Array.isArray(b) && sameObject(a as Members, b as Members);
}

/** Compares two objects as `sameJson` does, and ignores the key `except`. */
export function sameJsonExcept(a: object, b: object, except: string): boolean {
  return sameObject(a as Members, b as Members, except);
}

/**
 * JSON text in which equal values have equal strings: keys are sorted, absent members are omitted.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner) ? sortedKeys(inner as Members) : inner,
  );
}

type Members = Readonly<Record<string, unknown>>;

function sameObject(a: Members, b: Members, except?: string): boolean {
  let count = 0;
  for (const key in a) {
    if (!Object.hasOwn(a, key) || a[key] === undefined || key === except) continue;
    if (!Object.hasOwn(b, key) || !sameJson(a[key], b[key])) return false;
    count++;
  }
  for (const key in b) if (Object.hasOwn(b, key) && b[key] !== undefined && key !== except) count--;
  return count === 0;
}

function sortedKeys(object: Members): Members {
  // An object without a prototype treats "__proto__" as a key like any other.
  const result = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(object).toSorted()) result[key] = object[key];
  return result;
}
