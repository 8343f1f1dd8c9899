import type { JsonValue } from "@kintsugi/api";
import { expect, test } from "vitest";
import { cloneJson } from "./json-value.ts";

test("a copy is equal, and does not share parts with the original", () => {
  const value = { a: [1, { b: null }, "c"], d: { e: { f: true } }, constructor: { name: "x" }, toString: "text" };
  const copy = cloneJson(value as unknown as JsonValue) as unknown as typeof value;
  expect(copy).toEqual(value);
  expect(copy.a).not.toBe(value.a);
  expect(copy.a[1]).not.toBe(value.a[1]);
  expect(copy.d.e).not.toBe(value.d.e);
});

test("a member called __proto__ remains a member and never becomes a copy's prototype", () => {
  const value = JSON.parse('{"a":{"__proto__":{"polluted":true},"b":1}}') as { a: Record<string, unknown> };
  const { a } = cloneJson(value as JsonValue) as typeof value;
  expect(Object.keys(a)).toEqual(["__proto__", "b"]);
  expect(Object.getPrototypeOf(a)).toBe(Object.prototype);
  expect(a["polluted"]).toBeUndefined();
  expect(JSON.stringify(a)).toBe('{"__proto__":{"polluted":true},"b":1}');
});
