import type { Pool, PooledDevice } from "./pool.ts";

/**
 * The remaining amounts of the counters of pools. Allocated devices have consumed their amounts,
 * regardless of their node. A search takes and releases the amounts that it needs.
 */
export class CounterLedger {
  readonly #isInUse: (device: string) => boolean;
  readonly #left = new Map<Pool, Map<string, bigint>>();

  constructor(isInUse: (device: string) => boolean) {
    this.#isInUse = isInUse;
  }

  /** Takes the amounts of the device if enough of each remains. */
  take({ pool, uses }: PooledDevice): boolean {
    if (uses.length === 0) return true;
    const left = this.#leftOf(pool);
    if (uses.some(({ counter, nanos }) => (left.get(counter) ?? 0n) < nanos)) return false;
    for (const { counter, nanos } of uses) left.set(counter, (left.get(counter) ?? 0n) - nanos);
    return true;
  }

  giveBack({ pool, uses }: PooledDevice): void {
    if (uses.length === 0) return;
    const left = this.#leftOf(pool);
    for (const { counter, nanos } of uses) left.set(counter, (left.get(counter) ?? 0n) + nanos);
  }

  /** The amounts are below zero if a driver has changed the consumption of its devices. */
  #leftOf(pool: Pool): Map<string, bigint> {
    const known = this.#left.get(pool);
    if (known !== undefined) return known;
    const left = new Map(pool.counters);
    for (const { id, uses } of pool.devices) {
      if (uses.length === 0 || !this.#isInUse(id)) continue;
      for (const { counter, nanos } of uses) left.set(counter, (left.get(counter) ?? 0n) - nanos);
    }
    this.#left.set(pool, left);
    return left;
  }
}
