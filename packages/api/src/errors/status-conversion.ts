import type { Status } from "../meta/status.ts";
import { ApiError, statusCodeByReason, type StatusReason } from "./api-error.ts";

/** The body with which the API rejects a request. */
export function toStatus(error: ApiError): Status {
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: error.continueToken === undefined ? {} : { continue: error.continueToken },
    status: "Failure",
    message: error.message,
    ...(error.reason === "Unknown" ? {} : { reason: error.reason }),
    code: error.code,
  };
  if (error.details !== undefined) status.details = error.details;
  return status;
}

/**
 * The ApiError of a response: its `Status` body if present, otherwise the meaning of the HTTP code.
 */
export function fromStatus(status: Partial<Status> | undefined, code: number): ApiError {
  const reason = isStatusReason(status?.reason) ? status.reason : reasonOfCode(status, code);
  const message =
    status?.message ?? `the server responded with the status code ${code} but did not return more information`;
  const details = status?.details;
  const continueToken = status?.metadata?.continue;
  return new ApiError(reason, message, {
    code: status?.code ?? code,
    continueToken,
    ...(details === undefined ? {} : { details }),
  });
}

function isStatusReason(reason: string | undefined): reason is StatusReason {
  return reason !== undefined && Object.hasOwn(statusCodeByReason, reason);
}

/** The reasons of answers without a reason, as in upstream's NewGenericServerResponse. */
const reasonsByCode: ReadonlyMap<number, StatusReason> = new Map([
  [400, "BadRequest"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "NotFound"],
  [405, "MethodNotAllowed"],
  [406, "NotAcceptable"],
  [409, "Conflict"],
  [410, "Gone"],
  [413, "RequestEntityTooLarge"],
  [415, "UnsupportedMediaType"],
  [422, "Invalid"],
  [429, "TooManyRequests"],
  [503, "ServiceUnavailable"],
  [504, "Timeout"],
  [507, "StorageFull"],
]);

function reasonOfCode(status: Partial<Status> | undefined, httpCode: number): StatusReason {
  const code = status?.code ?? httpCode;
  // The wire omits the reason of a rejection without a reason of its own.
  if (status?.kind === "Status" && code === 500) return "Unknown";
  return reasonsByCode.get(code) ?? (code >= 400 && code < 500 ? "BadRequest" : "InternalError");
}
