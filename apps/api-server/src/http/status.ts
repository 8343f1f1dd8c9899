import { ApiError, expiredResourceVersion, type Status, type StatusDetails, timedOut, toStatus } from "@kintsugi/api";
import {
  CommitTimeout,
  ObjectTooLarge,
  OutcomeUnknown,
  RevisionExpired,
  StoreFull,
  StoreUnavailable,
} from "@kintsugi/store";
import { type ApiResponse, jsonResponse } from "./api-request.ts";

/** The answer to a delete that does not return an object. */
export function successStatus(details: StatusDetails): Status {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
}

export function errorResponse(error: ApiError): ApiResponse {
  const response = jsonResponse(error.code, toStatus(error));
  const retryAfterSeconds = error.details?.retryAfterSeconds;
  if (retryAfterSeconds !== undefined) response.headers["retry-after"] = String(retryAfterSeconds);
  return response;
}

/**
 * Returns the API error that a thrown error represents to a client; `undefined` for an unexpected
 * error.
 */
export function toApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof RevisionExpired) return expiredResourceVersion();
  if (error instanceof StoreFull) {
    return new ApiError(
      "StorageFull",
      `the data directory has too little free space for this write: ${error.message}`,
      {
        cause: error,
      },
    );
  }
  if (error instanceof StoreUnavailable) {
    const message = `the objects cannot be reached now, and nothing was written: ${error.message}`;
    return new ApiError("ServiceUnavailable", message, { details: { retryAfterSeconds: 1 }, cause: error });
  }
  if (error instanceof CommitTimeout) {
    return timedOut(
      `outcome unknown: the write may or may not have happened; read the object to find out (${error.message})`,
    );
  }
  if (error instanceof ObjectTooLarge) return new ApiError("RequestEntityTooLarge", error.message, { cause: error });
  if (error instanceof OutcomeUnknown) {
    return new ApiError(
      "InternalError",
      `outcome unknown: the write may or may not have happened; read the object to find out (${error.message})`,
      { cause: error },
    );
  }
  return undefined;
}
