import type { PodCondition, PodStatus } from "@kintsugi/api";

/**
 * Reports whether two statuses are equivalent. The order of conditions does not matter, and empty
 * fields equal absent fields.
 */
export function sameStatus(a: PodStatus, b: PodStatus): boolean {
  const { conditions: conditionsOfA = [], ...restOfA } = a;
  const { conditions: conditionsOfB = [], ...restOfB } = b;
  return sameConditions(conditionsOfA, conditionsOfB) && saysSame(restOfA, restOfB);
}

function sameConditions(a: readonly PodCondition[], b: readonly PodCondition[]): boolean {
  // The order is also the same in most cases.
  return a.length === b.length && (saysSame(a, b) || saysSame(a.toSorted(byType), b.toSorted(byType)));
}

function byType(a: PodCondition, b: PodCondition): number {
  return a.type < b.type ? -1 : 1;
}

function saysSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => saysSame(item, b[index]));
  }
  if (!isFields(a) || !isFields(b)) return saysNothing(a) && saysNothing(b);
  for (const name of Object.keys(a)) if (!saysSame(a[name], b[name])) return false;
  for (const name of Object.keys(b)) if (!(name in a) && !saysNothing(b[name])) return false;
  return true;
}

function saysNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isFields(value) && Object.values(value).every(saysNothing);
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
