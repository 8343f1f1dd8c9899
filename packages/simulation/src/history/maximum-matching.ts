/**
 * Returns the elements of `ones` that a maximum bipartite matching with `others` leaves unmatched
 * (Kuhn's algorithm). An element that has a partner keeps a partner, though perhaps another
 * partner.
 */
export function leftAlone<A, B>(ones: readonly A[], others: readonly B[], fits: (one: A, other: B) => boolean): A[] {
  const partners = ones.map((one) => others.flatMap((other, index) => (fits(one, other) ? [index] : [])));
  const takenBy = new Map<number, number>();
  const settle = (one: number, asked: Set<number>): boolean => {
    for (const other of partners[one] ?? []) {
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
