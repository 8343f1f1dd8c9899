import { backoffDelayMs } from "@kintsugi/clock";

/** The outcome of one attempt that did not succeed. */
export type FailedAttempt =
  /**
   * `repeatable`: the server cannot have acted on the request, or acting on it twice has the same
   * effect.
   */
  | { kind: "connection"; repeatable: boolean }
  | { kind: "refused"; status: number; retryAfterSeconds: number | undefined };

export type RetryDecision = { retryAfterMs: number } | { giveUp: true };

/**
 * Number of retries after a connection error. A restarting server on the same machine is back
 * within a second.
 */
const connectionRetriesMax = 4;
const connectionBackoff = { initialMs: 50, maxMs: 1000, factor: 2.5 };
/** The retries of a request that the server temporarily refuses, as in client-go. */
const refusedRetriesMax = 10;
/** A longer Retry-After than this is returned to the caller, and the client does not wait. */
const retryAfterMaxSeconds = 30;
/** Callers that were refused together must not retry together. */
const jitterFactor = 0.25;

/**
 * Plans whether attempt number `attempt` (from 1) is followed by another attempt; `fraction` is
 * random, in [0, 1).
 */
export function planRetry(attempt: number, failed: FailedAttempt, fraction: number): RetryDecision {
  switch (failed.kind) {
    case "connection": {
      if (!failed.repeatable || attempt > connectionRetriesMax) return { giveUp: true };
      return { retryAfterMs: backoffDelayMs(attempt, connectionBackoff) * (1 + fraction * jitterFactor) };
    }
    case "refused": {
      const seconds = failed.retryAfterSeconds;
      const asksForPatience = failed.status === 429 || failed.status >= 500;
      if (!asksForPatience || seconds === undefined) return { giveUp: true };
      if (attempt > refusedRetriesMax || seconds > retryAfterMaxSeconds) return { giveUp: true };
      return { retryAfterMs: Math.max(seconds * 1000, connectionBackoff.initialMs) * (1 + fraction * jitterFactor) };
    }
  }
}

/**
 * The seconds of a Retry-After header; undefined without the header. API servers do not use the
 * form with a date.
 */
export function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,9}$/.test(header)) return undefined;
  return Number(header);
}
