import type { Clock } from "@kintsugi/clock";

/** Time that a write may remain unseen; upstream's ExpectationsTimeout. */
export const expectationTimeoutMs = 5 * 60 * 1000;

/**
 * The state of the cache that a key's reconciler reads.
 * - `fulfilled`: the cache shows every write made for this key.
 * - `pending`: the cache does not show all of these writes yet. Reconcile again when the cache
 *   shows all writes, or at this time at the latest.
 * - `expired`: the cache has not shown the writes for too long, so the cache is not trusted: read
 *   the live list, then `reset`. (Upstream continues with the cache instead, and creates too much:
 *   kubernetes#129795.)
 */
export type ExpectationState =
  | { state: "fulfilled" }
  | { state: "pending"; expiresInMs: number }
  | { state: "expired" };

interface Outstanding {
  /** Names of created objects that have not appeared in the cache. */
  creations: Set<string>;
  /** UIDs of deleted objects whose deletion is not yet in the cache. */
  deletions: Set<string>;
  sinceMs: number;
}

/**
 * Writes that a controller has made and its cache has not shown yet, by the key for which they were
 * made. A reconciler that counts objects must not count while writes are outstanding. Objects are
 * remembered by name and UID, not as numbers, so that an object of another creator is never counted
 * as this controller's.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  /**
   * One entry per key with outstanding writes; a key's writes are limited by its reconciler's
   * burst.
   */
  readonly #outstanding = new Map<string, Outstanding>();

  constructor(deps: { clock: Clock }, options: { timeoutMs?: number } = {}) {
    this.#clock = deps.clock;
    this.#timeoutMs = options.timeoutMs ?? expectationTimeoutMs;
  }

  /** Call before the creation is sent: its event can arrive before its answer. */
  expectCreation(key: string, name: string): void {
    this.#touch(key).creations.add(name);
  }

  expectDeletion(key: string, uid: string): void {
    this.#touch(key).deletions.add(uid);
  }

  /** The object has appeared, or it is certain that it was never created. */
  creationObserved(key: string, name: string): void {
    const outstanding = this.#outstanding.get(key);
    if (outstanding?.creations.delete(name)) this.#dropIfEmpty(key, outstanding);
  }

  /**
   * The object is terminating or removed, or it is certain that the deletion did not happen.
   * Returns whether the deletion was expected.
   */
  deletionObserved(key: string, uid: string): boolean {
    const outstanding = this.#outstanding.get(key);
    if (!outstanding?.deletions.delete(uid)) return false;
    this.#dropIfEmpty(key, outstanding);
    return true;
  }

  /**
   * The outstanding writes are known to be done, so the cache has the full time again to show them.
   */
  renew(key: string): void {
    const outstanding = this.#outstanding.get(key);
    if (outstanding) outstanding.sinceMs = this.#clock.monotonicMs();
  }

  /** Removes all expectations of the key. */
  reset(key: string): void {
    this.#outstanding.delete(key);
  }

  state(key: string): ExpectationState {
    const outstanding = this.#outstanding.get(key);
    if (!outstanding) return { state: "fulfilled" };
    const expiresInMs = outstanding.sinceMs + this.#timeoutMs - this.#clock.monotonicMs();
    return expiresInMs > 0 ? { state: "pending", expiresInMs } : { state: "expired" };
  }

  #touch(key: string): Outstanding {
    const outstanding = this.#outstanding.get(key) ?? { creations: new Set(), deletions: new Set(), sinceMs: 0 };
    outstanding.sinceMs = this.#clock.monotonicMs();
    this.#outstanding.set(key, outstanding);
    return outstanding;
  }

  #dropIfEmpty(key: string, outstanding: Outstanding): void {
    if (outstanding.creations.size === 0 && outstanding.deletions.size === 0) this.#outstanding.delete(key);
  }
}
