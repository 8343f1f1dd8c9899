import { celFunc, celMethod, CelScalar, type CelUint, isCelList, isCelMap, isCelUint, listType } from "@bufbuild/cel";
import { index } from "../rewrite.ts";
import { appended } from "./growing-list.ts";

const { BOOL, DOUBLE, DYN, INT } = CelScalar;
const LIST = listType(DYN);

type Ordered = string | number | bigint | boolean;

function ordered(list: Iterable<unknown>): Ordered[] {
  const items = [...list] as Ordered[];
  if (items.some((item) => typeof item === "object")) throw new Error("no such overload: items have no order");
  return items;
}

function extreme(list: Iterable<unknown>, isBetter: (a: Ordered, b: Ordered) => boolean, name: string): Ordered {
  const [first, ...rest] = ordered(list);
  if (first === undefined) throw new Error(`${name} called on empty list`);
  return rest.reduce((best, item) => (isBetter(item, best) ? item : best), first);
}

function indexIn(list: Iterable<unknown>, value: unknown, fromEnd: boolean): bigint {
  const items = [...list];
  return BigInt(fromEnd ? items.lastIndexOf(value) : items.indexOf(value));
}

/** An element of a list by its index, or of a map by its key. */
function elementOf(whole: unknown, key: unknown): unknown {
  if (isCelMap(whole)) {
    const found = isKey(key) ? whole.get(key) : undefined;
    if (found === undefined) throw new Error(`no such key: ${isCelUint(key) ? key.value : String(key)}`);
    return found;
  }
  if (!isCelList(whole)) throw new Error("no such overload");
  const number = isCelUint(key) ? key.value : key;
  if (typeof number !== "bigint" && typeof number !== "number") throw new Error("no such overload");
  const at = Number(number);
  if (!Number.isInteger(at) || at < 0 || at >= whole.size) throw new Error(`index out of bounds: ${number}`);
  return whole.get(at);
}

function isKey(key: unknown): key is string | number | bigint | boolean | CelUint {
  return (
    typeof key === "string" ||
    typeof key === "number" ||
    typeof key === "bigint" ||
    typeof key === "boolean" ||
    isCelUint(key)
  );
}

export const listFunctions = [
  celFunc(index, [DYN, DYN], DYN, (whole, key) => elementOf(whole, key) as never),
  // The library's own result is a chain of lists, which a loop traverses again at each turn.
  celFunc("_+_", [LIST, LIST], LIST, (a, b) => appended(a, b) as never),
  celMethod("isSorted", LIST, [], BOOL, function () {
    const items = ordered(this);
    return items.every((item, index) => index === 0 || (items[index - 1] as Ordered) <= item);
  }),
  celMethod("sum", LIST, [], DYN, function () {
    const items = ordered(this);
    if (items.every((item) => typeof item === "number")) return items.reduce((sum, item) => sum + item, 0) as never;
    return (items as bigint[]).reduce((sum, item) => sum + item, 0n) as never;
  }),
  celMethod("min", LIST, [], DYN, function () {
    return extreme(this, (a, b) => a < b, "min") as never;
  }),
  celMethod("max", LIST, [], DYN, function () {
    return extreme(this, (a, b) => a > b, "max") as never;
  }),
  celMethod("indexOf", LIST, [DYN], INT, function (value) {
    return indexIn(this, value, false);
  }),
  celMethod("lastIndexOf", LIST, [DYN], INT, function (value) {
    return indexIn(this, value, true);
  }),
  celFunc("math.greatest", [DYN, DYN], DYN, (a, b) => ((a as number) > (b as number) ? a : b) as never),
  celFunc("math.least", [DYN, DYN], DYN, (a, b) => ((a as number) < (b as number) ? a : b) as never),
  celFunc("math.abs", [INT], INT, (value) => (value < 0n ? -value : value)),
  celFunc("math.ceil", [DOUBLE], DOUBLE, (value) => Math.ceil(value)),
  celFunc("math.floor", [DOUBLE], DOUBLE, (value) => Math.floor(value)),
];
