import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compareText } from "@kintsugi/api";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(join(import.meta.dirname, path), "utf8");

test("the published types name all that the library exports, and nothing else", () => {
  const values = [...read("testing.d.mts").matchAll(/^export declare (?:function|const) (\w+)/gm)].map(
    ([, name]) => name,
  );
  const lists = [...read("../../packages/testing/src/index.ts").matchAll(/^export \{([^}]*)\}/gm)];
  const exported = lists
    .flatMap(([, names = ""]) => names.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "));
  expect(values.flatMap((value) => value ?? []).toSorted(compareText)).toEqual(exported.toSorted(compareText));
});
