import type { RuntimeEvent } from "@kintsugi/cri";
import type { RuntimeCall, RuntimeFaults } from "@kintsugi/cri/simulated";

/** All present faults between a kubelet and its runtime. */
export class CallFaults implements RuntimeFaults {
  readonly #all = new Set<RuntimeFaults>();

  get isFaulty(): boolean {
    return this.#all.size > 0;
  }

  /** @returns a function that ends the fault. */
  add(faults: RuntimeFaults): () => void {
    this.#all.add(faults);
    return () => void this.#all.delete(faults);
  }

  /** Returns undefined, without a wait, if no fault applies. */
  before(call: RuntimeCall): Promise<void> | undefined {
    return this.#all.size === 0 ? undefined : this.#inTurn((faults) => faults.before?.(call));
  }

  after(call: RuntimeCall): Promise<void> | undefined {
    return this.#all.size === 0 ? undefined : this.#inTurn((faults) => faults.after?.(call));
  }

  deliver(event: RuntimeEvent): boolean {
    return [...this.#all].every((faults) => faults.deliver?.(event) !== false);
  }

  async #inTurn(strike: (faults: RuntimeFaults) => void | Promise<void>): Promise<void> {
    for (const faults of this.#all) await strike(faults);
  }
}
