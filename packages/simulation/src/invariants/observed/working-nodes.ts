import type { Clock } from "@kintsugi/clock";
import type { CallFaults } from "../../faults/call-faults.ts";

/** The parts of a machine on which its kubelet depends. */
export interface ObservedMachine {
  readonly name: string;
  readonly kubelet: { readonly isRunning: boolean; readonly isPaused: boolean };
  readonly calls: Pick<CallFaults, "isFaulty">;
  readonly isRuntimeUp: boolean;
}

/**
 * The time for which each node's kubelet has run, with a runtime that responds. Invariants do not
 * apply to other kubelets.
 */
export class WorkingNodes {
  readonly #clock: Clock;
  readonly #machines: readonly ObservedMachine[];
  readonly #brokenMs = new Map<string, number>();

  constructor(clock: Clock, machines: readonly ObservedMachine[]) {
    this.#clock = clock;
    this.#machines = machines;
  }

  /** Inspects all kubelets; called at every event. */
  look(): void {
    for (const { name, kubelet, calls, isRuntimeUp } of this.#machines) {
      const isAtWork = kubelet.isRunning && !kubelet.isPaused && !calls.isFaulty && isRuntimeUp;
      if (!isAtWork) this.#brokenMs.set(name, this.#clock.monotonicMs());
    }
  }

  workingForMs(node: string): number {
    return this.#clock.monotonicMs() - (this.#brokenMs.get(node) ?? -Infinity);
  }
}
