import { createHash } from "node:crypto";
import type { Clock } from "@kintsugi/clock";
import type { CommittedChange, Store } from "@kintsugi/store";

/**
 * A hash of everything that was committed, in order: two runs with the same hash made the same
 * changes at the same times.
 */
export class Trace {
  readonly #hash = createHash("sha256");
  #length = 0;

  constructor(deps: { store: Pick<Store, "subscribe">; clock: Clock }) {
    deps.store.subscribe((changes) => {
      for (const change of changes) this.#add(change, deps.clock.monotonicMs());
    });
  }

  /** The number of changes. */
  get length(): number {
    return this.#length;
  }

  digest(): string {
    return this.#hash.copy().digest("hex");
  }

  #add({ revision, type, entry }: CommittedChange, nowMs: number): void {
    this.#length++;
    this.#hash.update(`${nowMs} ${revision} ${type} ${entry.key} `);
    this.#hash.update(entry.value);
    this.#hash.update("\n");
  }
}
