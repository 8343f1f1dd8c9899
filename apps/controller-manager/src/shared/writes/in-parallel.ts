/**
 * Calls `work` for each item, at most `limit` at the same time. Resolves when all calls have ended;
 * a failure never stops the other calls.
 */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<unknown[]> {
  const failures: unknown[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const item = items[next++] as T;
      await work(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return failures;
}

/**
 * Calls `work` for items in batches of 1, 2, 4, …, and stops after a batch with a failure, because
 * the same cause (a quota, a wrong template) would fail five hundred calls. Upstream's
 * slowStartBatch.
 */
export async function inSlowStart<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<unknown[]> {
  for (let start = 0, size = 1; start < items.length && !signal.aborted; start += size, size *= 2) {
    const batch = items.slice(start, start + size);
    const failures = await inParallel(batch, batch.length, work);
    if (failures.length > 0) return failures;
  }
  return [];
}
