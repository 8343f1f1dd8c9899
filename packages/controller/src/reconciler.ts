import { isApiError } from "@kintsugi/api";
import type { TimerKind } from "@kintsugi/clock";

/**
 * Makes the world match one key's object. It gets a key, never an event: it reads the world, acts,
 * and may be called again at any time, also after a crash between any two of its writes. Calls for
 * one key never overlap.
 */
export interface Reconciler {
  /** @throws anything unexpected: logged, counted, and the key is tried again with back-off. */
  reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult>;
}

/**
 * `retryAfterMs` comes back to the key then, without counting as a failure. What changes within
 * `restMs` is left until these have ended: a key whose reconcile counts many objects takes a small
 * part of the time then, however often they change. The kind of a retry is that of its timer.
 */
export type ReconcileResult = ({ done: true } | { retryAfterMs: number; kind?: TimerKind }) & { restMs?: number };

export const done: ReconcileResult = { done: true };

/** One entry of a program's flat list of controllers. */
export interface Controller {
  /** The name in logs and in the `name` label of workqueue metrics: "replicaset". */
  readonly name: string;
  /** Works until the signal aborts. Informers that it reads are synced before it is called. */
  run(signal: AbortSignal): Promise<void>;
}

/** Another writer was faster; by then the change has mostly arrived. */
const conflictRetryMs = 50;

/**
 * Ends the work on an object that no longer exists, and has work repeated that another writer was
 * ahead of. Other errors are the caller's.
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
