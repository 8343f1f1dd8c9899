import { celFunc, celMap, celMethod, CelScalar, mapType } from "@bufbuild/cel";
import { canonicalQuantity, isQuantity, parseQuantity } from "@kintsugi/api";
import { compareSemvers } from "./semvers.ts";

const { BOOL, DOUBLE, DYN, INT, STRING } = CelScalar;
const OBJECT = mapType(DYN, DYN);

/** Marks a map that represents a quantity; equal quantities are equal maps. */
const mark = "@quantity";
const nanosPerUnit = 1_000_000_000n;

type QuantityValue = ReturnType<typeof celMap>;

function quantityOf(nanos: bigint): QuantityValue {
  return celMap(new Map([[mark, nanos]]) as never);
}

function nanosOf(value: unknown): bigint {
  const nanos = (value as QuantityValue).get(mark);
  if (typeof nanos !== "bigint") throw new Error("no such overload: the value is not a quantity");
  return nanos;
}

/** The other operand may be a number, as in upstream's overloads. */
function amountOf(value: unknown): bigint {
  return typeof value === "bigint" ? value * nanosPerUnit : nanosOf(value);
}

/** Compares quantities or semantic versions, whose methods have the same names. */
function compared(left: unknown, right: unknown): number {
  const versions = compareSemvers(left, right);
  if (versions !== undefined) return versions;
  const [a, b] = [nanosOf(left), nanosOf(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}

export const quantityFunctions = [
  celFunc("quantity", [STRING], DYN, (text) => quantityOf(parseQuantity(canonicalQuantity(text)).nanos) as never),
  celFunc("isQuantity", [STRING], BOOL, (text) => isQuantity(text)),
  celMethod("isGreaterThan", OBJECT, [OBJECT], BOOL, function (other) {
    return compared(this, other) > 0;
  }),
  celMethod("isLessThan", OBJECT, [OBJECT], BOOL, function (other) {
    return compared(this, other) < 0;
  }),
  celMethod("compareTo", OBJECT, [OBJECT], INT, function (other) {
    return BigInt(compared(this, other));
  }),
  celMethod("add", OBJECT, [DYN], DYN, function (other) {
    return quantityOf(nanosOf(this) + amountOf(other)) as never;
  }),
  celMethod("sub", OBJECT, [DYN], DYN, function (other) {
    return quantityOf(nanosOf(this) - amountOf(other)) as never;
  }),
  celMethod("sign", OBJECT, [], INT, function () {
    const nanos = nanosOf(this);
    return nanos < 0n ? -1n : nanos > 0n ? 1n : 0n;
  }),
  celMethod("isInteger", OBJECT, [], BOOL, function () {
    return nanosOf(this) % nanosPerUnit === 0n;
  }),
  celMethod("asInteger", OBJECT, [], INT, function () {
    const nanos = nanosOf(this);
    if (nanos % nanosPerUnit !== 0n) throw new Error("cannot convert value to integer");
    return nanos / nanosPerUnit;
  }),
  celMethod("asApproximateFloat", OBJECT, [], DOUBLE, function () {
    return Number(nanosOf(this)) / Number(nanosPerUnit);
  }),
];
