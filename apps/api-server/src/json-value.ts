import { ApiError, jsonDepthMax, type JsonObject, type JsonValue } from "@kintsugi/api";

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own member of the object, never a member inherited from a prototype. */
export function ownMember(object: JsonObject, member: string): JsonValue | undefined {
  return Object.hasOwn(object, member) ? object[member] : undefined;
}

/** A deep copy of `value`, which may be changed. */
export function cloneJson<T extends JsonValue>(value: T): T {
  return cloneValue(value) as T;
}

function cloneValue(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cloneValue);
  const copy: JsonObject = {};
  for (const member of Object.keys(value)) {
    const content = cloneValue(value[member] as JsonValue);
    // Assigning a member named `__proto__` would set the copy's prototype. Assigning the other
    // members is four times as fast as making the object from its entries.
    if (isPrototypeMember(member)) defineMember(copy, member, content);
    else copy[member] = content;
  }
  return copy;
}

function defineMember(object: JsonObject, member: string, value: JsonValue): void {
  Object.defineProperty(object, member, { value, configurable: true, enumerable: true, writable: true });
}

/**
 * Equality as RFC 6902 section 4.6 defines it: the order of members does not matter, the order of
 * items does.
 */
export function equalJson(left: JsonValue, right: JsonValue): boolean {
  if (left === right) {
    return true;
  }
  if (Array.isArray(left) || Array.isArray(right)) {
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => equalJson(item, right[index] ?? null))
    );
  }
  if (!isJsonObject(left) || !isJsonObject(right)) {
    return false;
  }
  const members = Object.keys(left);
  return (
    members.length === Object.keys(right).length &&
    members.every((member) => Object.hasOwn(right, member) && equalJson(left[member] ?? null, right[member] ?? null))
  );
}

/**
 * Reports whether a member of this name would reach an object's prototype where code assigns
 * without a check.
 */
export function isPrototypeMember(member: string): boolean {
  return member === "__proto__";
}

/**
 * Rejects members that no Kubernetes object has and that make merging dangerous: `__proto__`,
 * `constructor.prototype`, and nesting beyond `jsonDepthMax`. Every patch is checked here before it
 * is applied.
 */
export function assertSafeJson(value: unknown): asserts value is JsonValue {
  assertSafeAt(value, 0);
}

function assertSafeAt(value: unknown, depth: number): void {
  if (value === null || typeof value !== "object") {
    if (value === undefined || typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") {
      throw new ApiError("BadRequest", `invalid JSON document: ${typeof value} is not a JSON value`);
    }
    return;
  }
  if (depth > jsonDepthMax) {
    throw new ApiError("BadRequest", `invalid JSON document: nested deeper than ${jsonDepthMax} levels`);
  }
  if (Array.isArray(value)) {
    for (const item of value) {
      assertSafeAt(item, depth + 1);
    }
    return;
  }
  for (const [member, content] of Object.entries(value)) {
    if (isPrototypeMember(member) || (member === "constructor" && hasOwnPrototype(content))) {
      throw new ApiError("BadRequest", `invalid JSON document: forbidden member name "${member}"`);
    }
    assertSafeAt(content, depth + 1);
  }
}

function hasOwnPrototype(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "prototype");
}

/** Converts a JSON value to an expression value. Integers are exact, and no key is special. */
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
