import { type JsonSchema, requestTooLarge, type JsonValue } from "@kintsugi/api";

/** A value, its schema and its place. */
export interface ValuePlace {
  readonly value: JsonValue;
  readonly schema: JsonSchema;
  /** "" at the root. */
  readonly path: string;
  /**
   * The stored value in the same place; undefined where there is none. What has not changed is not
   * validated again: a definition may become stricter than its objects.
   */
  readonly before?: JsonValue | undefined;
  readonly budget: Budget;
}

/**
 * The places that may still be visited: a schema's conditions may inspect a value again and again.
 */
export interface Budget {
  visitsLeft: number;
}

/** An object of the largest size is visited once in a fraction of this; it takes about a second. */
const visitsMax = 2_000_000;

export function newBudget(): Budget {
  return { visitsLeft: visitsMax };
}

/** Counts one visit. @throws ApiError RequestEntityTooLarge when there were too many. */
export function spendVisit(budget: Budget): void {
  spendVisits(budget, 1);
}

/** Counts work that takes as long as so many visits. @throws ApiError as for one. */
export function spendVisits(budget: Budget, visits: number): void {
  budget.visitsLeft -= visits;
  if (budget.visitsLeft >= 0) return;
  throw requestTooLarge(`Request entity too large: validation by the schema takes more than ${visitsMax} steps`);
}
