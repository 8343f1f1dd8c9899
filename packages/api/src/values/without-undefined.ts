/**
 * A copy without the fields that are not set: JSON leaves them out, and comparisons should not see
 * them either.
 */
export function withoutUndefined<T extends object>(object: T): T {
  const kept: Partial<T> = {};
  for (const name of Object.keys(object) as (keyof T)[]) if (object[name] !== undefined) kept[name] = object[name];
  return kept as T;
}
