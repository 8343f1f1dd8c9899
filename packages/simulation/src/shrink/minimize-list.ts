/** Reports whether the remaining items still fail; a try costs one run. */
export type StillFails<T> = (candidate: readonly T[]) => Promise<boolean>;

/**
 * Delta debugging (Zeller and Hildebrandt's ddmin): removes ever smaller parts of a list while the
 * remaining items still fail. The result is minimal, because removing any single item makes the
 * rest pass, unless `stillFails` gave up before.
 */
export async function minimizeList<T>(items: readonly T[], stillFails: StillFails<T>): Promise<readonly T[]> {
  let left = items;
  let parts = 2;
  while (left.length > 0) {
    const smaller = await withoutOnePart(left, Math.min(parts, left.length), stillFails);
    if (smaller !== undefined) {
      left = smaller;
      parts = Math.max(2, parts - 1);
    } else if (parts >= left.length) return left;
    else parts *= 2;
  }
  return left;
}

async function withoutOnePart<T>(
  items: readonly T[],
  parts: number,
  stillFails: StillFails<T>,
): Promise<readonly T[] | undefined> {
  for (let part = 0; part < parts; part++) {
    const from = Math.floor((part * items.length) / parts);
    const to = Math.floor(((part + 1) * items.length) / parts);
    const rest = items.filter((_, index) => index < from || index >= to);
    if (await stillFails(rest)) return rest;
  }
  return undefined;
}
