import { celFunc, type CelFunc, celMethod, isCelError, isCelList, isCelMap } from "@bufbuild/cel";
import { charge, costLeft } from "./meter.ts";
import { comparedSizeOf, flatSizeOf, shallowSizeOf, sizeOf } from "./value-size.ts";

/**
 * The price of a call as a function of its operands. The target of a method is the first operand.
 */
type Price = (operands: readonly unknown[]) => number;

/** The price of inspecting every part of every operand. */
const everything: Price = (operands) => operands.reduce<number>((sum, operand) => sum + sizeOf(operand, costLeft()), 0);
/** Every part of every operand is written as a string, by which equal values are found. */
const written: Price = (operands) => everything(operands) * 5;
/**
 * The price of inspecting the strings among the operands, and the members of lists without their
 * contents.
 */
const surface: Price = (operands) => operands.reduce<number>((sum, operand) => sum + shallowSizeOf(operand), 0);
const texts: Price = (operands) => operands.reduce<number>((sum, operand) => sum + flatSizeOf(operand), 0);
const nothing: Price = () => 0;
const compared: Price = ([left, right]) => comparedSizeOf(left, right, costLeft());

/** Twice the price of inspecting every part, because the parts are copied and compared. */
const copied: Price = (operands) => everything(operands) * 4;

/** A time zone's name makes the engine read its rules, which takes about 300 µs. */
const zoneCost = 1600;
const inZone: Price = ([, zone]) => (zone === undefined ? 100 : zoneCost);

/** The cost of a call of the engine's number formatter. */
const numberFormatCost = 400;
/** Members of maps are sorted by the rules of a language, which is slow. */
const sortedCost = 20;
const partCost = 3;

/** Texts of numbers take longer than other texts, and the members of maps are sorted. */
function formatted([text, list]: readonly unknown[]): number {
  const numbers = typeof text === "string" ? (text.match(/%(?:\.\d+)?[ef]/g)?.length ?? 0) : 0;
  return (
    flatSizeOf(text) + numbers * numberFormatCost + sizeOf(list, costLeft()) * (hasMaps(list) ? sortedCost : partCost)
  );
}

function hasMaps(value: unknown): boolean {
  const waiting = [value];
  for (let looks = 0; waiting.length > 0; looks++) {
    const next = waiting.pop();
    if (isCelMap(next) || looks > costLeft()) return true;
    if (isCelList(next)) for (const item of next) waiting.push(item);
  }
  return false;
}

/**
 * A list is searched linearly. A map finds its keys directly, except numbers, which may have two
 * types.
 */
const containedIn: Price = ([key, whole]) =>
  isCelList(whole) ? sizeOf(whole, costLeft()) + flatSizeOf(key) : keyCost(key, whole);

/** Numeric keys of a map are compared one by one where the map does not have the exact key. */
function keyCost(key: unknown, whole: unknown): number {
  return typeof key === "string" || !isCelMap(whole) ? 0 : Math.ceil(whole.size / keysOfOne);
}
const keysOfOne = 8;

function sameFor<T>(names: string, value: T): Readonly<Record<string, T>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, value]));
}

/**
 * The fixed price of a call, regardless of its operands, for functions that take longer than a step
 * of the interpreter. Four units are a microsecond.
 */
const fixedPrices: Readonly<Record<string, number>> = {
  ...sameFor("duration quantity", 200),
  ...sameFor("timestamp isQuantity getQuery", 100),
  ...sameFor("containsIP containsCIDR isUnspecified isLoopback isLinkLocalUnicast", 150),
  ...sameFor("isLinkLocalMulticast isGlobalUnicast", 150),
  ...sameFor("ip isIP cidr isCIDR family prefixLength validate", 60),
  ...sameFor("semver isSemver major minor patch isLessThan isGreaterThan compareTo add sub", 60),
  ...sameFor("url isURL getScheme getHost getHostname getPort getEscapedPath matches find findAll", 60),
};
/** An error takes as long as a step. */
const errorCost = 20;

/** Functions whose cost differs from the cost of inspecting their strings. */
const prices: Readonly<Record<string, Price>> = {
  "_==_": compared,
  "_!=_": compared,
  "@in": containedIn,
  "@index": ([whole, key]) => keyCost(key, whole),
  optionalElement: ([whole, key]) => keyCost(key, whole),
  format: formatted,
  // These functions charge for lists by themselves.
  join: texts,
  "_+_": nothing,
  indexOf: everything,
  lastIndexOf: everything,
  isSorted: copied,
  sum: copied,
  min: copied,
  max: copied,
  "sets.contains": written,
  "sets.equivalent": written,
  "sets.intersects": written,
  "@mapOfPairs": (operands) => everything(operands) * 2,
  // A pair is a separate list.
  "@pairs": (operands) => surface(operands) * 4,
  ...sameFor("getFullYear getMonth getDate getDayOfMonth getDayOfWeek getDayOfYear", inZone),
  ...sameFor("getHours getMinutes getSeconds getMilliseconds", inZone),
};

/**
 * Functions whose result is an operand or a part of an operand, so that the function does not make
 * a new value.
 */
const makesNothing = new Set(
  "dyn type min max value orValue or hasValue optionalField optionalElement optional.of optional.none @index @tick @range math.greatest math.least".split(
    " ",
  ),
);

/**
 * Returns a function whose calls are charged for inspecting their operands and for the result that
 * they make, as in upstream's k8s.io/apiserver/pkg/cel/library/cost.go.
 */
export function priced(func: CelFunc): CelFunc {
  const { name, target } = func;
  const price = Object.hasOwn(prices, name) ? (prices[name] as Price) : texts;
  const fixed = fixedPrices[name] ?? 0;
  const makes = !makesNothing.has(name);
  const call = (on: unknown, args: readonly unknown[]): unknown => {
    charge(0);
    charge(fixed + price(target === undefined ? args : [on, ...args]));
    const result = func.call(0, on as never, args as never);
    if (isCelError(result)) {
      charge(errorCost);
      throw result;
    }
    if (makes) charge(name === "_+_" ? flatSizeOf(result) : shallowSizeOf(result));
    return result;
  };
  const parameters = [...func.arguments];
  if (target === undefined)
    return celFunc(name, parameters, func.result, ((...args: unknown[]) => call(undefined, args)) as never);
  return celMethod(name, target, parameters, func.result, function (this: unknown, ...args: unknown[]) {
    return call(this, args);
  } as never);
}
