import type { RuntimeErrorReason } from "../container-runtime.ts";
import { RuntimeError } from "../container-runtime.ts";

interface CallLimits {
  signal?: AbortSignal | undefined;
  /** Default: the adapter's time limit. */
  timeoutMs?: number | "unlimited";
}

/**
 * Calls CRI's `name` of one of its two services and resolves with the decoded answer; `Response`
 * states its shape.
 */
export type Call = <Response>(
  method: `${"runtime" | "image"}.${string}`,
  request: object,
  limits: CallLimits,
) => Promise<Response>;

/**
 * containerd 1.6 closes a container's shim connection when the container ends; a kill in progress
 * then fails, once.
 */
const endedMeanwhile = /ttrpc: closed/;
/**
 * The next attempt finds that the container has ended. A second container of the same sandbox may
 * need one more attempt.
 */
const endedRetriesMax = 2;

/**
 * Stop and remove are idempotent by CRI's rules, but containerd 1.6 answers some of them with "not
 * found", or with an error when the container ends at that moment.
 */
export async function untilGone(attempt: () => Promise<unknown>): Promise<void> {
  for (let retriesLeft = endedRetriesMax; ; retriesLeft--) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (isReason(error, "notFound")) return;
      if (retriesLeft === 0 || !(error instanceof RuntimeError) || !endedMeanwhile.test(error.message)) throw error;
    }
  }
}

/**
 * Returns a part that every answer of its kind contains; a runtime that omits the part is faulty.
 */
export function present<T>(value: T | null, what: string): T {
  if (value === null) throw new RuntimeError("failed", `the runtime answered without ${what}`);
  return value;
}

function isReason(error: unknown, reason: RuntimeErrorReason): boolean {
  return error instanceof RuntimeError && error.reason === reason;
}
