/** Inclusive bounds of consecutive completion indexes of a Job. */
export interface IndexInterval {
  first: number;
  last: number;
}

/**
 * Parses indexes such as `1,3-5,7`, each below `completions`. For text with a wrong format, returns
 * upstream's explanation, for which users search.
 */
export function readIndexIntervals(text: string, completions: number): IndexInterval[] | { problem: string } {
  const intervals: IndexInterval[] = [];
  if (text === "") return intervals;
  let previous: number | undefined;
  for (const fragment of text.split(",")) {
    const interval = readInterval(fragment, completions);
    if ("problem" in interval) return interval;
    if (previous !== undefined && previous >= interval.first) return notIncreasing(previous, interval.first);
    intervals.push(interval);
    previous = interval.last;
  }
  return intervals;
}

function readInterval(fragment: string, completions: number): IndexInterval | { problem: string } {
  const limits = fragment.split("-");
  if (limits.length > 2) {
    const rule = "violates the requirement that an index interval can have at most two parts separated by '-'";
    return { problem: `the fragment ${JSON.stringify(fragment)} ${rule}` };
  }
  const [first, last] = limits.map((limit) => readIndex(limit, completions));
  if (first === undefined || typeof first === "object") return first ?? { problem: "" };
  if (last === undefined) return { first, last: first };
  if (typeof last === "object") return last;
  return first >= last ? notIncreasing(first, last) : { first, last };
}

function readIndex(text: string, completions: number): number | { problem: string } {
  const quoted = JSON.stringify(text);
  if (!/^\+?[0-9]{1,18}$/.test(text)) return { problem: `cannot convert string to integer for index: ${quoted}` };
  const index = Number(text);
  return index >= completions ? { problem: `too large index: ${quoted}` } : index;
}

function notIncreasing(previous: number, current: number): { problem: string } {
  return { problem: `non-increasing order, previous: ${previous}, current: ${current}` };
}

export function countIndexes(intervals: readonly IndexInterval[]): number {
  return intervals.reduce((count, { first, last }) => count + last - first + 1, 0);
}

/** The lowest index that is in both lists, which are in ascending order. */
export function findCommonIndex(left: readonly IndexInterval[], right: readonly IndexInterval[]): number | undefined {
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    const [a, b] = [left[i] as IndexInterval, right[j] as IndexInterval];
    if (a.first <= b.last && b.first <= a.last) return Math.max(a.first, b.first);
    if (a.first <= b.first) i++;
    else j++;
  }
  return undefined;
}
