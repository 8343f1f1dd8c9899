/** The ways in which a cloud rejects or fails a call. */
export const cloudCodes = ["InvalidRequest", "NotFound", "Conflict", "Exhausted", "Unavailable"] as const;
export type CloudCode = (typeof cloudCodes)[number];

/**
 * A cloud rejected or failed a call; the message is the cloud's own. After "Unavailable" the call
 * may have been executed, or may still be executed. After the other codes the call was not
 * executed.
 */
export class CloudError extends Error {
  override readonly name = "CloudError";
  readonly code: CloudCode;

  constructor(code: CloudCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}

/** Reports whether the error is a cloud's, with one of the codes if codes are given. */
export function isCloudError(error: unknown, ...codes: readonly CloudCode[]): error is CloudError {
  return error instanceof CloudError && (codes.length === 0 || codes.includes(error.code));
}
