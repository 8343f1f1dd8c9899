import { celFunc, celMap, CelScalar, isCelList, isCelMap } from "@bufbuild/cel";
import { mapOfPairs, pairs } from "../macros.ts";

const { DYN } = CelScalar;

/** The functions by which macros with two variables are written. */
export const pairFunctions = [
  celFunc(pairs, [DYN], DYN, (whole) => {
    if (!isCelList(whole) && !isCelMap(whole))
      throw new Error("no such overload: the range is neither a list nor a map");
    if (isCelList(whole)) return [...whole].map((item, index) => [BigInt(index), item]) as never;
    return [...whole].map(([key, value]) => [key, value]) as never;
  }),
  celFunc(mapOfPairs, [DYN], DYN, (list) => {
    const entries = new Map<unknown, unknown>();
    for (const entry of list as unknown as Iterable<unknown>) {
      for (const [key, value] of pairsOf(entry)) {
        if (entries.has(key)) throw new Error(`insert failed: key ${String(key)} already exists`);
        entries.set(key, value);
      }
    }
    return celMap(entries as never) as never;
  }),
];

/** An entry is a pair, or a map with entries. */
function pairsOf(entry: unknown): Iterable<readonly [unknown, unknown]> {
  if (isCelMap(entry)) return entry as Iterable<readonly [unknown, unknown]>;
  const [key, value] = [...(entry as Iterable<unknown>)];
  return [[key, value]];
}
