import type { EndpointSlice } from "@kintsugi/api";
import { expect, test } from "vitest";
import { WrittenSlices } from "./written-slices.ts";

const slice = (uid: string, revision: number) =>
  ({ metadata: { uid, resourceVersion: String(revision) } }) as EndpointSlice;

test("a copy is believed when it has come as far as the last write, and shows nothing that was deleted", () => {
  const copy = { revision: 4, position: () => copy.revision };
  const written = new WrittenSlices(copy);
  expect(written.isAheadOf("default/web", [])).toBe(false);
  written.written("default/web", slice("a", 5));
  expect(written.isAheadOf("default/web", [])).toBe(true);
  expect(written.isAheadOf("default/other", [])).toBe(false);
  copy.revision = 5;
  expect(written.isAheadOf("default/web", [slice("a", 5)])).toBe(false);
  written.deleted("default/web", slice("a", 5));
  expect(written.isAheadOf("default/web", [slice("a", 5)])).toBe(true);
  expect(written.isAheadOf("default/web", [])).toBe(false);
});

test("a slice that came and went without being seen is not waited for", () => {
  const written = new WrittenSlices({ position: () => 9 });
  written.written("default/web", slice("a", 5));
  expect(written.isAheadOf("default/web", [])).toBe(false);
});

test("what others write and delete is news, and what this process did is none", () => {
  const written = new WrittenSlices({ position: () => 9 });
  expect(written.isNews("default/web", slice("a", 5))).toBe(true);
  written.written("default/web", slice("a", 5));
  expect(written.isNews("default/web", slice("a", 5))).toBe(false);
  expect(written.isNews("default/web", slice("a", 6))).toBe(true);
  expect(written.noteGone("default/web", slice("a", 6))).toBe(true);
  written.deleted("default/web", slice("b", 5));
  expect(written.isNews("default/web", slice("b", 5))).toBe(false);
  expect(written.noteGone("default/web", slice("b", 6))).toBe(false);
  written.written("default/web", slice("c", 5));
  written.forget("default/web");
  expect(written.isNews("default/web", slice("c", 5))).toBe(true);
});
