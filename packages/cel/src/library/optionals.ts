import { celFunc, celMap, celMethod, CelScalar, isCelList, isCelMap, mapType } from "@bufbuild/cel";
import { optionalIndex, optionalSelect } from "../optional-syntax.ts";

const { BOOL, DYN, STRING } = CelScalar;
const OBJECT = mapType(DYN, DYN);

/** Marks a map that represents an optional. A field of an object never has such a name. */
const mark = "@optional";

type Optional = ReturnType<typeof celMap>;

function some(value: unknown): Optional {
  return celMap(new Map([[mark, value]]) as never);
}

const none = (): Optional => celMap(new Map([[`${mark}.none`, true]]) as never);

/** An optional of a value that may be missing, for the variables of an expression. */
export function optionalOf(value: unknown): unknown {
  return value === undefined ? none() : some(value);
}

export function isOptional(value: unknown): value is Optional {
  return isCelMap(value) && (value.has(mark) || value.has(`${mark}.none`));
}

/** The value of an optional; undefined for an empty optional. */
export function optionalValue(value: Optional): unknown {
  return hasValue(value) ? value.get(mark) : undefined;
}

function hasValue(value: Optional): boolean {
  return value.has(mark);
}

function assertOptional(value: unknown): Optional {
  if (!isOptional(value)) throw new Error("no such overload: the value is not optional");
  return value;
}

function isZero(value: unknown): boolean {
  if (value === null || value === "" || value === false || value === 0 || value === 0n) return true;
  return typeof value === "object" && "size" in value && value.size === 0;
}

/**
 * The value of an optional, or a value that is not an optional; undefined for an empty optional.
 */
function unwrapped(value: unknown): unknown {
  return isOptional(value) ? optionalValue(value) : value;
}

/** Selects a member of an object, or of an optional object. */
function select(target: unknown, name: string): Optional {
  const object = unwrapped(target);
  return isCelMap(object) && object.has(name) ? some(object.get(name)) : none();
}

export const optionalFunctions = [
  celMethod(optionalSelect, OBJECT, [STRING], DYN, function (name) {
    return select(this, name) as never;
  }),
  celMethod(optionalIndex, DYN, [DYN], DYN, function (index) {
    const whole = unwrapped(this);
    if (isCelMap(whole)) return (whole.has(index as never) ? some(whole.get(index as never)) : none()) as never;
    if (!isCelList(whole)) return none() as never;
    const at = Number(index);
    return (at >= 0 && at < whole.size ? some(whole.get(at)) : none()) as never;
  }),
  celFunc("optional.of", [DYN], DYN, (value) => some(value) as never),
  celFunc("optional.none", [], DYN, () => none() as never),
  celFunc("optional.ofNonZeroValue", [DYN], DYN, (value) => (isZero(value) ? none() : some(value)) as never),
  celMethod("hasValue", OBJECT, [], BOOL, function () {
    return hasValue(assertOptional(this));
  }),
  celMethod("value", OBJECT, [], DYN, function () {
    const optional = assertOptional(this);
    if (!hasValue(optional)) throw new Error("optional.none() dereference");
    return optional.get(mark) as never;
  }),
  celMethod("orValue", OBJECT, [DYN], DYN, function (other) {
    const optional = assertOptional(this);
    return (hasValue(optional) ? optional.get(mark) : other) as never;
  }),
  celMethod("or", OBJECT, [DYN], DYN, function (other) {
    const optional = assertOptional(this);
    return (hasValue(optional) ? optional : assertOptional(other)) as never;
  }),
];
