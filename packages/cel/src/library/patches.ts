import { celFunc, CelScalar, isCelList, isCelMap } from "@bufbuild/cel";
import { isOptional, optionalValue } from "./optionals.ts";

const { STRING } = CelScalar;

/** The function of upstream's library for JSON patches. */
export const patchFunctions = [
  celFunc("jsonpatch.escapeKey", [STRING], STRING, (key) => key.replaceAll("~", "~0").replaceAll("/", "~1")),
];

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Limit on nested values. A result that is nested deeper is not part of an object. */
const depthMax = 100;
/**
 * Limit on values and characters. An expression can make a list of lists that are all the same
 * list, whose JSON would be endless. An object is never larger than a request.
 */
const sizeMax = 3 * 1024 * 1024;

/**
 * Converts a result to JSON. Members whose value is an empty optional are left out.
 * @throws Error when a part of the result cannot be written as JSON.
 */
export function celToJson(value: unknown): Json {
  return new JsonWriter().write(value, 0);
}

class JsonWriter {
  #sizeLeft = sizeMax;

  write(value: unknown, depth: number): Json {
    if (depth > depthMax) throw new Error("the value is nested too deeply");
    this.#count(typeof value === "string" ? value.length + 1 : 1);
    if (typeof value === "bigint") return Number(value);
    if (value === null || typeof value === "boolean" || typeof value === "number" || typeof value === "string") {
      return value;
    }
    if (isOptional(value)) return this.write(optionalValue(value) ?? null, depth + 1);
    if (isCelList(value)) return [...value].map((item) => this.write(item, depth + 1));
    if (!isCelMap(value)) throw new Error("the value has a type that JSON does not have");
    const members: [string, Json][] = [];
    for (const [key, member] of value) {
      if (isOptional(member) && optionalValue(member) === undefined) continue;
      if (typeof key !== "string") throw new Error("the value has a key that is not text");
      this.#count(key.length);
      members.push([key, this.write(member, depth + 1)]);
    }
    return Object.fromEntries(members);
  }

  #count(size: number): void {
    this.#sizeLeft -= size;
    if (this.#sizeLeft < 0) throw new Error(`the value is larger than ${sizeMax} bytes`);
  }
}
