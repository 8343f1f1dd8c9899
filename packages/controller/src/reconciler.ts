/**
 * Makes the world match one key's object. It gets a key, never an event: it reads the world, acts,
 * and may be called again at any time, also after a crash between any two of its writes. Calls for
 * one key never overlap.
 */
export interface Reconciler {
  /** @throws anything unexpected: logged, counted, and the key is tried again with back-off. */
  reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult>;
}

/** `retryAfterMs` comes back to the key then, without counting as a failure. */
export type ReconcileResult = { done: true } | { retryAfterMs: number };

export const done: ReconcileResult = { done: true };

/** One entry of a program's flat list of controllers. */
export interface Controller {
  /** The name in logs and in the `name` label of workqueue metrics: "replicaset". */
  readonly name: string;
  /** Works until the signal aborts. Informers that it reads are synced before it is called. */
  run(signal: AbortSignal): Promise<void>;
}
