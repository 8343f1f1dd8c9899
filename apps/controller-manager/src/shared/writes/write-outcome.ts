import { isApiError } from "@kintsugi/api";
import { ConnectionError } from "@kintsugi/client";

/** Reports whether the write that failed with this error may have been done all the same. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.outcomeUnknown;
  // Every refusal is certain; a full disk is one as well.
  if (isApiError(error)) return error.code >= 500 && error.reason !== "StorageFull";
  return true;
}

/**
 * Reports whether nothing can be made in the namespace any more, so that another try is of no use.
 */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    isApiError(error, "Forbidden") &&
    (error.details?.causes ?? []).some((cause) => cause.reason === "NamespaceTerminating")
  );
}
