import type { StatusDetails } from "../meta/status.ts";
import { shortened } from "./shown.ts";

/**
 * Every reason the API gives for refusing, with its HTTP status (apimachinery/pkg/apis/meta/v1
 * StatusReason).
 */
export const statusCodeByReason = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  Conflict: 409,
  AlreadyExists: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
  ServerTimeout: 500,
  /**
   * Upstream's StatusReasonUnknown covers refusals without a reason of their own; the wire leaves
   * the reason out.
   */
  Unknown: 500,
  /** Ours: the disk is too full to take a write. Carried with HTTP 507. */
  StorageFull: 507,
} as const satisfies Record<string, number>;

export type StatusReason = keyof typeof statusCodeByReason;

/**
 * A refusal is read by people and logged by clients: twice the length of a thorough one. Every
 * longer message is cut here.
 */
const messageLengthMax = 64 * 1024;

/**
 * A cause quotes a value and names its fault; the longest of upstream's own texts have 500
 * characters.
 */
const causeLengthMax = 4 * 1024;

/** One object reports at most a hundred faults, and one more cause states that there are others. */
export const causesMax = 101;

/** The API refuses, or refused. It crosses the wire as a Kubernetes `Status` object. */
export class ApiError extends Error {
  readonly reason: StatusReason;
  readonly details: StatusDetails | undefined;
  /** The list continues with this token, at the cost of its consistency. */
  readonly continueToken: string | undefined;
  readonly code: number;

  constructor(reason: StatusReason, message: string, options: ApiErrorOptions = {}) {
    super(shortened(message, messageLengthMax), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ApiError";
    this.reason = reason;
    this.details = options.details && limited(options.details);
    this.continueToken = options.continueToken;
    this.code = options.code ?? statusCodeByReason[reason];
  }
}

function limited(details: StatusDetails): StatusDetails {
  const { causes } = details;
  if (causes === undefined) return details;
  const listed = causes.slice(0, causesMax).map((cause) => {
    const { message } = cause;
    return message === undefined ? cause : { ...cause, message: shortened(message, causeLengthMax) };
  });
  if (causes.length > causesMax) {
    listed.push({
      reason: "FieldValueTooMany",
      message: `${causes.length - causesMax} more are not listed`,
      field: "",
    });
  }
  return { ...details, causes: listed };
}

export interface ApiErrorOptions {
  details?: StatusDetails;
  continueToken?: string | undefined;
  /** Only where upstream's code for a reason differs from the table. */
  code?: number;
  cause?: unknown;
}

/** Reports whether `error` is an ApiError, with one of `reasons` where any are given. */
export function isApiError(error: unknown, ...reasons: StatusReason[]): error is ApiError {
  return error instanceof ApiError && (reasons.length === 0 || reasons.includes(error.reason));
}
