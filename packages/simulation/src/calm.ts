import type { Clock } from "@kintsugi/clock";

/**
 * Since when nothing is being done to the cluster: what has to happen within a time is only asked
 * for then.
 */
export class Calm {
  readonly #clock: Clock;
  readonly #lost = new Set<string>();
  #disturbances = 0;
  #sinceMs = 0;

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
  }

  /** How long it has been calm; 0 while something is wrong. */
  get forMs(): number {
    return this.#disturbances > 0 ? 0 : this.#clock.monotonicMs() - this.#sinceMs;
  }

  /** Nodes that stay as a fault has left them; the calm is about the others. */
  get lostNodes(): ReadonlySet<string> {
    return this.#lost;
  }

  /** Something begins to be wrong. @returns how to say that it is over. */
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
