import { type IndexInterval, readIndexIntervals } from "@kintsugi/api";

/** Reads the indexes of a status or a rule, without indexes that the Job no longer has. */
export function parseIndexes(text: string | undefined, completions: number): IndexInterval[] {
  if (text === undefined) return [];
  const intervals = readIndexIntervals(text, Number.MAX_SAFE_INTEGER);
  if (!Array.isArray(intervals)) return [];
  const present = intervals.filter(({ first }) => first < completions);
  return mergeIndexes(
    present.map(({ first, last }) => ({ first, last: Math.min(last, completions - 1) })),
    [],
  );
}

/** The intervals of both lists, in order and without overlaps. */
export function mergeIndexes(left: readonly IndexInterval[], right: readonly IndexInterval[]): IndexInterval[] {
  const merged: IndexInterval[] = [];
  for (const { first, last } of [...left, ...right].toSorted((a, b) => a.first - b.first)) {
    const previous = merged.at(-1);
    if (previous === undefined || first > previous.last + 1) merged.push({ first, last });
    else previous.last = Math.max(previous.last, last);
  }
  return merged;
}

export function withIndexes(intervals: readonly IndexInterval[], indexes: Iterable<number>): IndexInterval[] {
  return mergeIndexes(
    intervals,
    [...indexes].map((index) => ({ first: index, last: index })),
  );
}

export function hasIndex(intervals: readonly IndexInterval[], index: number): boolean {
  return intervals.some(({ first, last }) => first <= index && index <= last);
}

/** Writes intervals as a status shows them: `0,2,3,5-7`. */
export function formatIndexes(intervals: readonly IndexInterval[]): string {
  return intervals
    .map(({ first, last }) => (last === first ? `${first}` : `${first}${last === first + 1 ? "," : "-"}${last}`))
    .join(",");
}

/** The lowest indexes below `completions` that are not in the intervals, at most `count`. */
export function firstMissing(
  intervals: readonly IndexInterval[],
  { count, completions }: { count: number; completions: number },
): number[] {
  const missing: number[] = [];
  let candidate = 0;
  for (const { first, last } of [...intervals, { first: completions, last: completions }]) {
    for (; candidate < Math.min(first, completions) && missing.length < count; candidate++) missing.push(candidate);
    candidate = Math.max(candidate, last + 1);
  }
  return missing;
}

/** The number of indexes that are in both lists. */
export function countCommon(left: readonly IndexInterval[], right: readonly IndexInterval[]): number {
  let count = 0;
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    const [a, b] = [left[i] as IndexInterval, right[j] as IndexInterval];
    count += Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
    if (a.last <= b.last) i++;
    if (b.last <= a.last) j++;
  }
  return count;
}
