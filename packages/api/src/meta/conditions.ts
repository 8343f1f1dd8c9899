import { formatTimestamp } from "../values/timestamp.ts";
import { withoutUndefined } from "../values/without-undefined.ts";

/** The fields that the conditions of all kinds share. */
export interface ConditionLike {
  type: string;
  status: "True" | "False" | "Unknown";
  reason?: string | undefined;
  message?: string | undefined;
  lastTransitionTime?: string | undefined;
  observedGeneration?: number | undefined;
}

export function findCondition<C extends { type: string }>(
  conditions: readonly C[] | undefined,
  type: C["type"],
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Reports whether the condition exists and is "True". */
export function isConditionTrue<C extends { type: string; status: string }>(
  conditions: readonly C[] | undefined,
  type: C["type"],
): boolean {
  return findCondition(conditions, type)?.status === "True";
}

/**
 * The list with `next` in the position of the condition of its type. `lastTransitionTime` changes
 * only with the status, unless `next` has its own. Returns the same list if nothing changed, so
 * that the object is not written.
 */
export function withCondition<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  next: C,
  wallMs: number,
): C[] {
  const list = (conditions ?? []) as C[];
  const index = list.findIndex((condition) => condition.type === next.type);
  const previous = list[index];
  if (previous === undefined) {
    return [...list, { ...next, lastTransitionTime: next.lastTransitionTime ?? formatTimestamp(wallMs) }];
  }
  const lastTransitionTime =
    previous.status === next.status
      ? (previous.lastTransitionTime ?? next.lastTransitionTime)
      : (next.lastTransitionTime ?? formatTimestamp(wallMs));
  const merged = withoutUndefined({ ...previous, ...next, lastTransitionTime });
  return sameCondition(previous, merged) ? list : list.with(index, merged);
}

/** The list without the condition; the same list when it did not exist. */
export function withoutCondition<C extends { type: string }>(
  conditions: readonly C[] | undefined,
  type: C["type"],
): C[] {
  const list = (conditions ?? []) as C[];
  return list.some((condition) => condition.type === type) ? list.filter((condition) => condition.type !== type) : list;
}

function sameCondition<C extends object>(a: C, b: C): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof C>;
  return [...keys].every((key) => a[key] === b[key]);
}
