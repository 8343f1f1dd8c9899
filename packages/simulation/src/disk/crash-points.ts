/**
 * The points between which a process may die, counted as they are passed. The points of one write
 * are:
 *
 *   write log ─ sync log ─ answer log ─ write HEAD ─ sync HEAD ─ answer HEAD ─ publish ─
 *   acknowledge ─ respond
 */
export class CrashPoints {
  #passed = 0;
  readonly #armed = new Set<{ at: number; strike: (point: string) => void }>();

  /** The number of places passed so far. */
  get passed(): number {
    return this.#passed;
  }

  /**
   * Calls `strike` at the n-th point from now (1 is the next), before its step is done.
   * @returns a function that cancels the call.
   */
  arm(n: number, strike: (point: string) => void): () => void {
    const armed = { at: this.#passed + n, strike };
    this.#armed.add(armed);
    return () => this.#armed.delete(armed);
  }

  /** Calls `strike` when that point is next reached, before its step is done. */
  armAt(point: string, strike: () => void): void {
    this.arm(1, (reached) => (reached === point ? strike() : this.armAt(point, strike)));
  }

  pass(point: string): void {
    const at = ++this.#passed;
    for (const armed of this.#armed) {
      if (armed.at !== at) continue;
      this.#armed.delete(armed);
      armed.strike(point);
    }
  }
}
