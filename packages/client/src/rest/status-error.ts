import { ApiError, statusCodeByReason, type StatusDetails, type StatusReason } from "@kintsugi/api";

/** The form of a refusal on the wire; every field may be missing when a proxy answered. */
interface StatusBody {
  kind?: unknown;
  reason?: unknown;
  message?: unknown;
  code?: unknown;
  details?: StatusDetails;
}

/** The refusal in an answer that is not 2xx, or in a watch's ERROR frame. */
export function apiErrorFrom(body: unknown, httpStatus: number, operation: string): ApiError {
  const status = isStatusBody(body) ? body : {};
  const code = typeof status.code === "number" ? status.code : httpStatus;
  const message = typeof status.message === "string" && status.message !== "" ? status.message : undefined;
  return new ApiError(
    reasonOf(status.reason, code),
    message ?? `${operation}: the server answered ${code}${typeof body === "string" ? `: ${body.slice(0, 300)}` : ""}`,
    { code, ...(status.details === undefined ? {} : { details: status.details }) },
  );
}

function isStatusBody(body: unknown): body is StatusBody {
  return typeof body === "object" && body !== null && (body as StatusBody).kind === "Status";
}

function reasonOf(reason: unknown, code: number): StatusReason {
  if (typeof reason === "string" && Object.hasOwn(statusCodeByReason, reason)) return reason as StatusReason;
  return reasonByCode[code] ?? (code >= 500 ? "InternalError" : "BadRequest");
}

/** The reasons of answers without a reason, as in upstream's NewGenericServerResponse. */
const reasonByCode: Readonly<Record<number, StatusReason>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
  507: "StorageFull",
};
