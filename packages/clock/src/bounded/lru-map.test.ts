import { expect, test } from "vitest";
import { forgetOldest } from "./forget-oldest.ts";
import { LruMap } from "./lru-map.ts";

test("a full map removes the least recently used entry", () => {
  const map = new LruMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  expect(map.get("a")).toBe(1);
  map.set("c", 3);
  expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([1, undefined, 3]);
  map.set("a", 4);
  map.set("d", 5);
  expect([map.get("a"), map.get("c"), map.get("d")]).toEqual([4, undefined, 5]);
});

test("a set that exceeds its size loses the entry that was added first", () => {
  const kept = new Set(["a", "b", "c"]);
  forgetOldest(kept, 2);
  forgetOldest(kept, 2);
  expect([...kept]).toEqual(["b", "c"]);
});
