import { type JsonSchema, requestTooLarge, type JsonValue } from "@kintsugi/api";

/** A value, its schema and its path. */
export interface ValuePlace {
  readonly value: JsonValue;
  readonly schema: JsonSchema;
  /** "" at the root. */
  readonly path: string;
  /**
   * The stored value at the same path; undefined if this value does not exist. Unchanged values are
   * not validated again, because a definition may become stricter than its objects.
   */
  readonly before?: JsonValue | undefined;
  readonly budget: Budget;
}

/** The remaining visits, because a schema's conditions may inspect a value repeatedly. */
export interface Budget {
  visitsLeft: number;
}

/**
 * Limit on visits. A visit of an object of the largest size uses a fraction of the limit; the whole
 * limit takes about a second.
 */
const visitsMax = 2_000_000;

export function newBudget(): Budget {
  return { visitsLeft: visitsMax };
}

/** Counts one visit. @throws ApiError RequestEntityTooLarge when there were too many visits. */
export function spendVisit(budget: Budget): void {
  spendVisits(budget, 1);
}

/** Counts work that takes as long as this many visits. @throws ApiError as for one visit. */
export function spendVisits(budget: Budget, visits: number): void {
  budget.visitsLeft -= visits;
  if (budget.visitsLeft >= 0) return;
  throw requestTooLarge(`Request entity too large: validation by the schema takes more than ${visitsMax} steps`);
}
