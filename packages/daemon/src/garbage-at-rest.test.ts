import { systemClock } from "@kintsugi/clock";
import { expect, test } from "vitest";
import { collectGarbageAtRest, ownHeap } from "./garbage-at-rest.ts";

const mebibyte = 1024 ** 2;

test("a small heap is collected after the start, and again every ten minutes", () => {
  const { pass, collections, delaysMs } = started([10 * mebibyte, 32 * mebibyte]);
  pass();
  expect(collections()).toBe(1);
  pass();
  expect(collections()).toBe(2);
  expect(delaysMs).toEqual([15_000, 600_000, 600_000]);
});

test("a large heap is not collected until it is small", () => {
  const { pass, collections } = started([32 * mebibyte + 1, 20 * mebibyte]);
  pass();
  expect(collections()).toBe(0);
  pass();
  expect(collections()).toBe(1);
});

test("a collection of this process removes garbage", async () => {
  const garbage = new WeakRef({ of: "a start" });
  // A WeakRef keeps its object until the end of the turn that made it.
  await systemClock.nextTurn();
  ownHeap.collect();
  expect(garbage.deref()).toBeUndefined();
  expect(ownHeap.heapBytes()).toBeGreaterThan(mebibyte);
});

/** Starts the collections of a heap with these sizes at the times of collections. */
function started(sizes: number[]) {
  const pending: (() => void)[] = [];
  const delaysMs: number[] = [];
  let collected = 0;
  const after = (delayMs: number, callback: () => void) => {
    delaysMs.push(delayMs);
    pending.push(callback);
    return { cancel() {} };
  };
  collectGarbageAtRest({ clock: { after }, heapBytes: () => sizes.shift() ?? 0, collect: () => void collected++ });
  return { pass: () => pending.shift()?.(), collections: () => collected, delaysMs };
}
