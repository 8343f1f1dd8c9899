import { isApiError } from "@kintsugi/api";
import { ConnectionError } from "@kintsugi/client";

/** Reports whether the write that failed with this error may have been carried out. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.outcomeUnknown;
  // Every rejection is certain, including a rejection because of a full disk.
  if (isApiError(error)) return error.code >= 500 && error.reason !== "StorageFull";
  return true;
}

/** Reports whether the namespace no longer accepts new objects, so that a retry is useless. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    isApiError(error, "Forbidden") &&
    (error.details?.causes ?? []).some((cause) => cause.reason === "NamespaceTerminating")
  );
}
