import { type CelList, type CelMap, isCelList, isCelMap } from "@bufbuild/cel";

/** Number of characters of a string that cost one unit. */
const charactersOfOne = 10;

/**
 * The cost of inspecting the whole value, at least one. The value is measured up to a limit,
 * because a value that contains itself many times is larger than any memory.
 */
export function sizeOf(value: unknown, limit: number): number {
  let cost = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && cost <= limit) {
    const next = waiting.pop();
    cost += 1;
    if (isFlat(next)) cost += flatSizeOf(next);
    else if (isCelList(next)) {
      // The members of a list that is already too large are not measured.
      if (next.size > limit) return cost + next.size;
      for (const item of next) waiting.push(item);
    } else if (isCelMap(next)) {
      if (next.size > limit) return cost + next.size;
      for (const [key, member] of next) {
        cost += flatSizeOf(key);
        waiting.push(member);
      }
    }
  }
  return cost;
}

/** The cost of inspecting a string or bytes. Other values are free. */
export function flatSizeOf(value: unknown): number {
  return isFlat(value) ? Math.floor(value.length / charactersOfOne) : 0;
}

/**
 * The number of members of a list or map, without the contents of the members, or the length of a
 * string.
 */
export function shallowSizeOf(value: unknown): number {
  if (isCelList(value) || isCelMap(value)) return value.size;
  return flatSizeOf(value);
}

/** The cost of comparing two values, which ends at the first difference of size. */
export function comparedSizeOf(left: unknown, right: unknown, limit: number): number {
  if (isFlat(left) && isFlat(right)) return left.length === right.length ? flatSizeOf(left) : 0;
  const areLists = isCelList(left) && isCelList(right);
  const areMaps = isCelMap(left) && isCelMap(right);
  if (!areLists && !areMaps) return 0;
  return left.size === right.size ? sizeOf(left, limit) : 0;
}

function isFlat(value: unknown): value is string | Uint8Array {
  return typeof value === "string" || value instanceof Uint8Array;
}

/** An object takes four times as long to copy from a list as a number or a string. */
const copiedObjectCost = 4;

/**
 * The work of copying a list or the keys of a map. Three members represent all members, so that the
 * price of a list of any length is found in the same time. A list of a single member is the list
 * that a loop appends.
 */
export function copyCostOf(whole: CelList | CelMap): number {
  if (!isCelList(whole) || whole.size <= 1) return whole.size;
  const members = [0, whole.size >> 1, whole.size - 1].map((index) => whole.get(index));
  return whole.size * (members.some((member) => typeof member === "object") ? copiedObjectCost : 1);
}
