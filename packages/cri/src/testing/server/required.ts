import { RuntimeError } from "../../container-runtime.ts";

/** A message that the call requires. */
export function required<T>(value: T | null, field: string): T {
  if (value === null) throw new RuntimeError("invalid", `${field} is required`);
  return value;
}
