import { badRequest } from "../errors/refusals.ts";

/**
 * The value without null members; the same value if it has no null members. Rejects members that
 * could modify a prototype.
 */
export function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return changedItems(value) ?? value;
  let changes: Record<string, unknown> | undefined;
  let dropped = false;
  for (const key of Object.keys(value)) {
    assertNoPrototype(key);
    const member = (value as Record<string, unknown>)[key];
    if (member === null) dropped = true;
    else if (typeof member === "object") {
      const inner = withoutNulls(member);
      if (inner !== member) (changes ??= {})[key] = inner;
    }
  }
  if (!dropped && changes === undefined) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return { ...Object.fromEntries(kept), ...changes };
}

function changedItems(list: readonly unknown[]): unknown[] | undefined {
  let changed: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    const inner = withoutNulls(item);
    if (inner !== item) (changed ??= [...list])[index] = inner;
  }
  return changed;
}

/** Returns the same value; rejects members that could modify a prototype, at any depth. */
export function withoutPrototypes<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const key of Object.keys(value)) {
    assertNoPrototype(key);
    withoutPrototypes((value as Record<string, unknown>)[key]);
  }
  return value;
}

function assertNoPrototype(key: string): void {
  if (key === "__proto__") throw badRequest('the field name "__proto__" is not allowed');
}
