import { expect, test } from "vitest";
import { fnv1a32 } from "./fnv.ts";

// http://www.isthe.com/chongo/src/fnv/test_fnv.c
test.each([
  ["", 0x811c9dc5],
  ["a", 0xe40c292c],
  ["foobar", 0xbf9cf968],
])("FNV-1a of %j", (text, hash) => {
  expect(fnv1a32(new TextEncoder().encode(text))).toBe(hash);
});
