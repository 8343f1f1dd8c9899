/**
 * Several faults may hold the same object down; the object recovers when the last fault releases
 * it.
 */
export class Holds {
  readonly #counts = new Map<object, number>();

  isHeld(thing: object): boolean {
    return this.#counts.has(thing);
  }

  /**
   * Acquires the object. The first holder calls `down`.
   * @returns a function that releases the object; the last holder calls `up`.
   */
  async hold(thing: object, act: { down: () => void | Promise<void>; up: () => void }): Promise<() => void> {
    const count = this.#counts.get(thing) ?? 0;
    this.#counts.set(thing, count + 1);
    if (count === 0) await act.down();
    let isHolding = true;
    return () => {
      if (!isHolding) return;
      isHolding = false;
      const left = (this.#counts.get(thing) ?? 1) - 1;
      if (left > 0) this.#counts.set(thing, left);
      else {
        this.#counts.delete(thing);
        act.up();
      }
    };
  }
}
