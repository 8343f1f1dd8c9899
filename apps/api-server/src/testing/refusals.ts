import { ApiError } from "@kintsugi/api";

/** Returns the outcome of an action that may be rejected but must not crash. */
export function outcomeOf(action: () => unknown): "done" | "refused" | "crashed" {
  try {
    action();
    return "done";
  } catch (error) {
    return error instanceof ApiError ? "refused" : "crashed";
  }
}

/**
 * The error by which an action is rejected.
 * @throws any other error of the action, and an error when the action is not rejected
 */
export function errorOf(action: () => unknown): ApiError {
  try {
    action();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

/** Deeply freezes the value and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}
