/** Does the work for each item, and for at most `inFlightMax` items at the same time. */
export async function eachOf<T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
  inFlightMax = 32,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(inFlightMax, items.length) }, worker));
}
