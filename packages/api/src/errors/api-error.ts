import type { StatusDetails } from "../meta/status.ts";
import { shortened } from "./shown.ts";

/**
 * Every reason with which the API rejects a request, with its HTTP status
 * (apimachinery/pkg/apis/meta/v1 StatusReason).
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
   * Upstream's StatusReasonUnknown covers rejections without a reason of their own; the wire omits
   * the reason.
   */
  Unknown: 500,
  /** This project's reason: the disk is too full for a write. Sent with HTTP 507. */
  StorageFull: 507,
} as const satisfies Record<string, number>;

export type StatusReason = keyof typeof statusCodeByReason;

/**
 * People read a message and clients log it. Longer messages are cut to this length, which is twice
 * the length of a thorough message.
 */
const messageLengthMax = 64 * 1024;

/**
 * A cause quotes a value and describes its fault; the longest of upstream's messages have 500
 * characters.
 */
const causeLengthMax = 4 * 1024;

/** One object reports at most a hundred causes; a further cause reports that more exist. */
export const causesMax = 101;

/**
 * A rejection by the API, on the server or on the client. It crosses the wire as a Kubernetes
 * `Status` object.
 */
export class ApiError extends Error {
  readonly reason: StatusReason;
  readonly details: StatusDetails | undefined;
  /** The token with which a client can continue the expired list at the current revision. */
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
  /** Set only if upstream's code for a reason differs from the table. */
  code?: number;
  cause?: unknown;
}

/**
 * Reports whether `error` is an ApiError with one of `reasons`; without reasons, any ApiError
 * matches.
 */
export function isApiError(error: unknown, ...reasons: StatusReason[]): error is ApiError {
  return error instanceof ApiError && (reasons.length === 0 || reasons.includes(error.reason));
}
