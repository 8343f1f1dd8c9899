import type { Clock } from "@kintsugi/clock";

/**
 * Measures the time without disturbance, because invariants with a time limit are only checked in a
 * quiet period.
 */
export class QuietPeriod {
  readonly #clock: Clock;
  readonly #lost = new Set<string>();
  #disturbances = 0;
  #sinceMs = 0;

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
  }

  /** The length of the quiet period; 0 during a disturbance. */
  get forMs(): number {
    return this.#disturbances > 0 ? 0 : this.#clock.monotonicMs() - this.#sinceMs;
  }

  /**
   * Nodes that remain in the state in which a fault has left them; the quiet period applies to the
   * other nodes.
   */
  get lostNodes(): ReadonlySet<string> {
    return this.#lost;
  }

  /**
   * Begins a disturbance.
   * @returns a function that ends it.
   */
  disturb(): () => void {
    this.#disturbances++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#disturbances--;
      this.#sinceMs = this.#clock.monotonicMs();
    };
  }

  lose(node: string): void {
    this.#lost.add(node);
  }
}
