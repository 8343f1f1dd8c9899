import { celFunc, celMethod, CelScalar, celUint, listType } from "@bufbuild/cel";
import { charge } from "../cost/meter.ts";
import { indexOfText, lastIndexOfText, placesOf } from "./text-search.ts";

const { BOOL, DYN, INT, STRING, UINT } = CelScalar;
const LIST = listType(DYN);

/** A character of a created text costs as much as a character of a string that is read. */
const charactersOfOne = 10;
/**
 * Maximum number of digits of a number. The engine's time to parse digits grows faster than their
 * number.
 */
const digitsMax = 100;

/** The number of characters. A surrogate pair counts as one character. */
function charactersIn(text: string): number {
  let count = text.length;
  for (let index = 0; index + 1 < text.length; index++) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xd800 || (text.charCodeAt(index + 1) & 0xfc00) !== 0xdc00) continue;
    count--;
    index++;
  }
  return count;
}

const payOne = () => charge(1);

/** Replaces at most this many places. The result is charged before it is created. */
function replaced(text: string, { from, to, max }: { from: string; to: string; max: number }): string {
  if (max <= 0) return text;
  if (from === "") return interspersed(text, to, max);
  const places = placesOf(text, from, { max, pay: payOne });
  charge((text.length + places.length * (to.length - from.length)) / charactersOfOne);
  let result = "";
  let end = 0;
  for (const place of places) {
    result += text.slice(end, place) + to;
    end = place + from.length;
  }
  return result + text.slice(end);
}

/** An empty string matches before each character and at the end. */
function interspersed(text: string, to: string, max: number): string {
  charge(text.length);
  const characters = Array.from(text);
  const count = Math.min(max, characters.length + 1);
  charge((text.length + count * to.length) / charactersOfOne + count);
  let result = "";
  for (let index = 0; index < characters.length; index++) {
    result += (index < count ? to : "") + (characters[index] ?? "");
  }
  return count > characters.length ? result + to : result;
}

/** Splits into at most this many parts, the last of which is the rest. Each part costs one unit. */
function splitted(text: string, separator: string, max: number): string[] {
  if (max <= 0) return [];
  if (max === 1) return [text];
  if (separator === "") {
    charge(text.length);
    const characters = Array.from(text);
    if (characters.length <= max) return characters;
    return [...characters.slice(0, max - 1), characters.slice(max - 1).join("")];
  }
  const places = placesOf(text, separator, { max: max - 1, pay: payOne });
  const parts: string[] = [];
  let end = 0;
  for (const place of places) {
    parts.push(text.slice(end, place));
    end = place + separator.length;
  }
  return [...parts, text.slice(end)];
}

function joined(list: Iterable<unknown> & { readonly size: number }, separator: string): string {
  charge(list.size * (1 + separator.length / charactersOfOne));
  const items: string[] = [];
  for (const item of list) {
    if (typeof item !== "string") throw new Error("invalid argument to function join: list contains non-string value");
    charge(item.length / charactersOfOne);
    items.push(item);
  }
  return items.join(separator);
}

function startOf(text: string, index: bigint): number {
  const start = Number(index);
  if (start < 0 || start >= text.length) throw new Error(`index ${start} out of bounds [0, ${text.length})`);
  return start;
}

/** A negative limit means unlimited. */
const limitOf = (count: bigint): number => (count < 0n ? Infinity : Number(count));

/** The integers of a type. */
interface WholeType {
  readonly name: string;
  readonly min: bigint;
  readonly max: bigint;
}

const intType: WholeType = { name: "int", min: -(2n ** 63n), max: 2n ** 63n - 1n };
const uintType: WholeType = { name: "uint", min: 0n, max: 2n ** 64n - 1n };

function wholeNumber(text: string, { name, min, max }: WholeType): bigint {
  const form = min < 0n ? /^[+-]?\d+$/ : /^\d+$/;
  const value = text.length <= digitsMax && form.test(text) ? BigInt(text.replace(/^\+/, "")) : undefined;
  if (value === undefined || value < min || value > max) {
    throw new Error(`type conversion error from 'string' to '${name}'`);
  }
  return value;
}

const upper = (text: string): string => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
const lower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/**
 * Replacements for those functions of the library that take more than linear time or memory, or
 * whose result differs from upstream's.
 */
export const textFunctions = [
  celFunc("size", [STRING], INT, (text) => BigInt(charactersIn(text))),
  celMethod("size", STRING, [], INT, function () {
    return BigInt(charactersIn(this));
  }),
  celMethod("contains", STRING, [STRING], BOOL, function (wanted) {
    return indexOfText(this, wanted) >= 0;
  }),
  celMethod("indexOf", STRING, [STRING], INT, function (wanted) {
    return BigInt(indexOfText(this, wanted));
  }),
  celMethod("indexOf", STRING, [STRING, INT], INT, function (wanted, from) {
    return BigInt(indexOfText(this, wanted, startOf(this, from)));
  }),
  celMethod("lastIndexOf", STRING, [STRING], INT, function (wanted) {
    return BigInt(lastIndexOfText(this, wanted));
  }),
  celMethod("lastIndexOf", STRING, [STRING, INT], INT, function (wanted, from) {
    return BigInt(lastIndexOfText(this, wanted, startOf(this, from)));
  }),
  celMethod("lowerAscii", STRING, [], STRING, function () {
    return lower(this);
  }),
  celMethod("upperAscii", STRING, [], STRING, function () {
    return upper(this);
  }),
  celMethod("reverse", STRING, [], STRING, function () {
    charge(this.length);
    return Array.from(this).toReversed().join("");
  }),
  celMethod("replace", STRING, [STRING, STRING], STRING, function (from, to) {
    return replaced(this, { from, to, max: Infinity });
  }),
  celMethod("replace", STRING, [STRING, STRING, INT], STRING, function (from, to, count) {
    return replaced(this, { from, to, max: limitOf(count) });
  }),
  celMethod("split", STRING, [STRING], LIST, function (separator) {
    return splitted(this, separator, Infinity) as never;
  }),
  celMethod("split", STRING, [STRING, INT], LIST, function (separator, count) {
    return splitted(this, separator, limitOf(count)) as never;
  }),
  celMethod("join", LIST, [], STRING, function () {
    return joined(this, "");
  }),
  celMethod("join", LIST, [STRING], STRING, function (separator) {
    return joined(this, separator);
  }),
  celFunc("int", [STRING], INT, (text) => wholeNumber(text, intType)),
  celFunc("uint", [STRING], UINT, (text) => celUint(wholeNumber(text, uintType))),
];
