/** Items by a key that several items may share, in the order of their addition. */
export class Groups<T> {
  readonly #groups = new Map<string, T[]>();

  of(key: string): readonly T[] {
    return this.#groups.get(key) ?? [];
  }

  add(key: string, item: T): void {
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, [item]);
    else group.push(item);
  }

  delete(key: string, item: T): void {
    const rest = this.of(key).filter((each) => each !== item);
    if (rest.length === 0) this.#groups.delete(key);
    else this.#groups.set(key, rest);
  }
}
