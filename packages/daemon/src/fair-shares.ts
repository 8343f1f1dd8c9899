/**
 * Shares a number of places among namespaces. A namespace that wants at most an equal share gets
 * all that it wants, and the places that such namespaces do not use are shared among the other
 * namespaces. So the namespace that wants the most is reduced first. With 10 places, of a (wants
 * 1), b (7) and c (9):
 *
 *   a wants less than 10/3: 1      b and c share 9, less than both want: b gets 4, and c the last 5
 */
export function fairShares(wanted: ReadonlyMap<string, number>, places: number): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  const smallestFirst = [...wanted].toSorted(([nameA, a], [nameB, b]) => a - b || (nameA < nameB ? -1 : 1));
  let left = places;
  for (const [index, [namespace, count]] of smallestFirst.entries()) {
    const share = Math.min(count, Math.floor(left / (smallestFirst.length - index)));
    shares.set(namespace, share);
    left -= share;
  }
  return shares;
}
