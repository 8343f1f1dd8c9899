/**
 * Subscriptions by the tokens of their filters, as a server of the bus stores them. The time to
 * find the subscriptions of a subject grows with its tokens and with the results, not with the
 * number of all subscriptions.
 *
 *     a.*.c  a.>       root ─ a ─┬─ * ─ c: first
 *                                └─ >: second
 */
export class SubscriptionTree<T> {
  readonly #root: Branch<T> = newBranch();

  add(filter: readonly string[], value: T): void {
    let branch = this.#root;
    for (const token of filter) {
      let next = branch.children.get(token);
      if (next === undefined) branch.children.set(token, (next = newBranch()));
      branch = next;
    }
    branch.values.add(value);
  }

  /**
   * Removes the value that was added under the same filter, and the branches that are no longer
   * needed.
   */
  remove(filter: readonly string[], value: T): void {
    const path = [this.#root];
    for (const token of filter) {
      const next = path.at(-1)?.children.get(token);
      if (next === undefined) return;
      path.push(next);
    }
    path.at(-1)?.values.delete(value);
    for (let depth = filter.length; depth > 0; depth--) {
      const branch = path[depth];
      if (branch === undefined || branch.values.size > 0 || branch.children.size > 0) return;
      path[depth - 1]?.children.delete(filter[depth - 1] ?? "");
    }
  }

  /**
   * Finds the values whose filters cover the subject, with `*` for one token and a final `>` for
   * one or more; in arbitrary order.
   */
  find(subject: readonly string[]): T[] {
    const found: T[] = [];
    collect(this.#root, subject, 0, found);
    return found;
  }
}

interface Branch<T> {
  readonly children: Map<string, Branch<T>>;
  /** The subscriptions whose filters end here. */
  readonly values: Set<T>;
}

function newBranch<T>(): Branch<T> {
  return { children: new Map(), values: new Set() };
}

function collect<T>({ children, values }: Branch<T>, subject: readonly string[], at: number, found: T[]): void {
  const token = subject[at];
  if (token === undefined) {
    found.push(...values);
    return;
  }
  found.push(...(children.get(">")?.values ?? []));
  for (const name of token === "*" ? ["*"] : [token, "*"]) {
    const next = children.get(name);
    if (next !== undefined) collect(next, subject, at + 1, found);
  }
}
