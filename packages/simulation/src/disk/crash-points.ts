/**
 * The places between which a process may die, counted as they are passed. In the life of one write these are:
 *
 *   write log ─ sync log ─ answer log ─ write HEAD ─ sync HEAD ─ answer HEAD ─ publish ─ acknowledge ─ respond
 */
export class CrashPoints {
  #passed = 0;
  readonly #armed = new Map<number, ((point: string) => void)[]>();

  /** How many were passed so far. */
  get passed(): number {
    return this.#passed;
  }

  /** Calls `then` at the n-th point from now (1 is the next), before what stands there is done. @returns how to call it off. */
  arm(n: number, then: (point: string) => void): () => void {
    const at = this.#passed + n;
    const there = this.#armed.get(at) ?? [];
    this.#armed.set(at, there);
    there.push(then);
    return () => this.#armed.set(at, this.#armed.get(at)?.filter((each) => each !== then) ?? []);
  }

  pass(point: string): void {
    this.#passed++;
    const there = this.#armed.get(this.#passed);
    if (there === undefined) return;
    this.#armed.delete(this.#passed);
    for (const then of there) then(point);
  }
}
