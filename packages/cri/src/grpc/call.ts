import type { RuntimeErrorReason } from "../container-runtime.ts";
import { RuntimeError } from "../container-runtime.ts";

export interface CallLimits {
  signal?: AbortSignal | undefined;
  /** Absent: the adapter's default. */
  timeoutMs?: number | "unlimited";
}

/** Calls CRI's `name` of one of its two services and resolves with the decoded answer; `Response` states its shape. */
export type Call = <Response>(
  method: `${"runtime" | "image"}.${string}`,
  request: object,
  limits: CallLimits,
) => Promise<Response>;

/** Stop and remove are idempotent by CRI's rules, but containerd 1.6 answers some of them with "not found". */
export async function unlessGone(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isReason(error, "notFound")) throw error;
  }
}

/** The message that every answer of this kind carries; its absence is a broken runtime. */
export function present<T>(value: T | null, what: string): T {
  if (value === null) throw new RuntimeError("failed", `the runtime answered without ${what}`);
  return value;
}

export function isReason(error: unknown, reason: RuntimeErrorReason): boolean {
  return error instanceof RuntimeError && error.reason === reason;
}
