import type { Clock } from "@kintsugi/clock";

/** Precision of times to which a rate has been applied. */
const roundingMs = 1;

interface Reading {
  wallOffMs: number;
  monotonicOffMs: number;
  changedMs: number;
}

/**
 * The time for which each machine's clock has run like the true clock: a process that measures by
 * another clock cannot be checked against the true times.
 */
export class SteadyClocks {
  readonly #true: Clock;
  readonly #machines: ReadonlyMap<string, Clock>;
  readonly #readings = new Map<string, Reading>();

  constructor(trueClock: Clock, machines: ReadonlyMap<string, Clock> = new Map()) {
    this.#true = trueClock;
    this.#machines = machines;
    this.look();
  }

  /** Compares all clocks; called at every event. */
  look(): void {
    const nowMs = this.#true.monotonicMs();
    const wallMs = this.#true.nowMs();
    for (const [name, clock] of this.#machines) {
      const wallOffMs = clock.nowMs() - wallMs;
      const monotonicOffMs = clock.monotonicMs() - nowMs;
      const last = this.#readings.get(name);
      const isSame =
        last !== undefined &&
        Math.abs(last.wallOffMs - wallOffMs) < roundingMs &&
        Math.abs(last.monotonicOffMs - monotonicOffMs) < roundingMs;
      if (!isSame)
        this.#readings.set(name, { wallOffMs, monotonicOffMs, changedMs: last === undefined ? -Infinity : nowMs });
    }
  }

  /**
   * The time by which the machine's wall clock is ahead of the true clock; negative if it is
   * behind.
   */
  wallOffMs(machine: string): number {
    return this.#readings.get(machine)?.wallOffMs ?? 0;
  }

  /**
   * @param machine "controller-manager", or a node's name; an unknown machine has the true clock.
   */
  steadyForMs(machine: string): number {
    return this.#true.monotonicMs() - (this.#readings.get(machine)?.changedMs ?? -Infinity);
  }
}
