import { isDeepStrictEqual } from "node:util";
import type { PodStatus } from "@kintsugi/api";

/** Whether two statuses say the same. The order of conditions, and fields that are absent or empty, say nothing. */
export function sameStatus(a: PodStatus, b: PodStatus): boolean {
  return isDeepStrictEqual(normalized(a), normalized(b));
}

function normalized(status: PodStatus): unknown {
  const conditions = [...(status.conditions ?? [])].sort((a, b) => (a.type < b.type ? -1 : 1));
  return pruned({ ...status, conditions });
}

function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruned);
  if (value === null || typeof value !== "object") return value;
  const fields = Object.entries(value)
    .map(([name, field]) => [name, pruned(field)] as const)
    .filter(([, field]) => !isEmpty(field));
  return Object.fromEntries(fields);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}
