/**
 * The places between which a process may die, counted as they are passed. In the life of one write these are:
 *
 *   write log ─ sync log ─ answer log ─ write HEAD ─ sync HEAD ─ answer HEAD ─ publish ─ acknowledge ─ respond
 */
export class CrashPoints {
  #passed = 0;
  #atPoint = Infinity;
  #then: (point: string) => void = () => {};

  /** How many were passed so far. */
  get passed(): number {
    return this.#passed;
  }

  /** Calls `then` at the n-th point from now (1 is the next), before what stands there is done. */
  arm(n: number, then: (point: string) => void): void {
    this.#atPoint = this.#passed + n;
    this.#then = then;
  }

  disarm(): void {
    this.#atPoint = Infinity;
  }

  pass(point: string): void {
    this.#passed++;
    if (this.#passed !== this.#atPoint) return;
    this.disarm();
    this.#then(point);
  }
}
