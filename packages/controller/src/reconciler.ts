import { isApiError } from "@kintsugi/api";
import type { TimerKind } from "@kintsugi/clock";

/**
 * Makes the world match one key's object. A reconciler gets a key instead of an event, reads the
 * world and acts. It may be called again at any time, including after a crash between any two of
 * its writes. Calls for one key never overlap.
 */
export interface Reconciler {
  /**
   * @throws unexpected errors; the caller logs and counts the error, and tries the key again with
   * back-off.
   */
  reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult>;
}

/**
 * `retryAfterMs` adds the key again after that time, without counting a failure. Changes within
 * `restMs` wait until the rest has ended: a key whose reconcile counts many objects then takes a
 * small part of the time, however often the objects change. `kind` is the kind of the timer of the
 * retry.
 */
export type ReconcileResult = ({ done: true } | { retryAfterMs: number; kind?: TimerKind }) & { restMs?: number };

export const done: ReconcileResult = { done: true };

/** One entry of a program's flat list of controllers. */
export interface Controller {
  /** The name in logs and in the `name` label of workqueue metrics: "replicaset". */
  readonly name: string;
  /** Works until the signal aborts. Informers that it reads are synced before this call. */
  run(signal: AbortSignal): Promise<void>;
}

/** Another writer was faster. After this time, the change has usually arrived. */
const conflictRetryMs = 50;

/**
 * Ends the work on an object that no longer exists, and repeats work that conflicted with another
 * writer. Other errors are passed to the caller.
 */
export async function settled(work: Promise<ReconcileResult>): Promise<ReconcileResult> {
  try {
    return await work;
  } catch (error) {
    if (isApiError(error, "NotFound")) return done;
    if (isApiError(error, "Conflict")) return { retryAfterMs: conflictRetryMs };
    throw error;
  }
}
