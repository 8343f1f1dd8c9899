import { celFunc, type CelList, CelScalar, isCelList, listType } from "@bufbuild/cel";

const { BOOL, DYN } = CelScalar;
const LIST = listType(DYN);

/**
 * A value as a string by which equal values are found. Equal numbers have equal strings, regardless
 * of their types.
 */
function keyOf(value: unknown): string {
  if (typeof value === "bigint" || typeof value === "number") return `n${Number(value)}`;
  if (typeof value === "string") return `s${JSON.stringify(value)}`;
  if (isCelList(value)) return `[${[...value].map(keyOf).join()}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (!(Symbol.iterator in value)) throw new Error("no such overload: items cannot be compared");
  const members = [...(value as Iterable<[unknown, unknown]>)].map(([key, member]) => `${keyOf(key)}:${keyOf(member)}`);
  return `{${members.toSorted().join()}}`;
}

function setOf(list: CelList): Set<string> {
  return new Set([...list].map(keyOf));
}

function holdsAll(whole: ReadonlySet<string>, part: ReadonlySet<string>): boolean {
  return [...part].every((key) => whole.has(key));
}

/** Upstream's functions that treat lists as sets. */
export const setFunctions = [
  celFunc("sets.contains", [LIST, LIST], BOOL, (a, b) => holdsAll(setOf(a), setOf(b))),
  celFunc("sets.equivalent", [LIST, LIST], BOOL, (a, b) => {
    const [left, right] = [setOf(a), setOf(b)];
    return left.size === right.size && holdsAll(left, right);
  }),
  celFunc("sets.intersects", [LIST, LIST], BOOL, (a, b) => {
    const left = setOf(a);
    return [...setOf(b)].some((key) => left.has(key));
  }),
];
