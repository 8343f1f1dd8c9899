/**
 * Returns those of `ones` that are left without a partner when as many as possible have one of
 * `others`, each for itself: augmenting paths, as Kuhn's. Earlier ones keep a partner, though
 * perhaps not the same one.
 */
export function leftAlone<A, B>(ones: readonly A[], others: readonly B[], fits: (one: A, other: B) => boolean): A[] {
  const wishes = ones.map((one) => others.flatMap((other, index) => (fits(one, other) ? [index] : [])));
  const takenBy = new Map<number, number>();
  const settle = (one: number, asked: Set<number>): boolean => {
    for (const other of wishes[one] ?? []) {
      if (asked.has(other)) continue;
      asked.add(other);
      const holder = takenBy.get(other);
      if (holder === undefined || settle(holder, asked)) {
        takenBy.set(other, one);
        return true;
      }
    }
    return false;
  };
  return ones.filter((_, one) => !settle(one, new Set()));
}
