import { readFileSync } from "node:fs";
import type { ApiError, ObjectMeta, OwnerReference } from "@kintsugi/api";
import { compareText } from "@kintsugi/api";
import * as library from "@kintsugi/testing";
import { expect, test } from "vitest";
import type * as published from "./testing.d.mts";
import { pageFile, testingDeclarations, testingPage, testingTypes, typesFile } from "./testing-types.ts";

// `npx tsx tools/package/testing-types.ts` writes both files again.
test("the published types and their page are generated from the library's sources", () => {
  expect(readFileSync(typesFile, "utf8")).toBe(testingTypes());
  expect(readFileSync(pageFile, "utf8")).toBe(testingPage());
});

test("the published types include all values of the library, and do not need another package", () => {
  const values = [...testingTypes().matchAll(/^export declare (?:function|const) (\w+)/gm)].map(
    ([, name = ""]) => name,
  );
  expect(values.toSorted(compareText)).toEqual(Object.keys(library).toSorted(compareText));
  expect(testingTypes()).not.toMatch(/^import/m);
});

test("each type that a published type names is published or is built in", () => {
  const known = new Set(testingDeclarations().map(({ name }) => name));
  const language = "AbortSignal AsyncDisposable AsyncIterable Error Pick Promise Readonly Record T Uint8Array".split(
    " ",
  );
  const code = testingTypes()
    .replaceAll(/\/\*\*[\s\S]*?\*\/|\/\/[^\n]*/g, "")
    .replaceAll(/"[^"\n]*"/g, '""');
  const named = new Set(code.match(/\b[A-Z]\w*\b/g));
  expect([...named].filter((name) => !known.has(name) && !language.includes(name))).toEqual([]);
});

// The types that are not read from sources are wide enough for the real types.
export type WideEnough = [
  OwnerReference extends published.OwnerReference ? true : never,
  ObjectMeta extends published.ObjectMeta ? true : never,
  ApiError extends published.ApiError ? true : never,
];
export const areWideEnough: WideEnough = [true, true, true];
