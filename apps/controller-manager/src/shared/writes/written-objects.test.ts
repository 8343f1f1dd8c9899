import type { ApiObject } from "@kintsugi/api";
import { expect, test } from "vitest";
import { WrittenObjects } from "./written-objects.ts";

const object = (uid: string, revision: number) =>
  ({ metadata: { uid, resourceVersion: String(revision) } }) as ApiObject;

test("a cache entry is trusted once it includes the last write, and it shows no deleted object", () => {
  const copy = { revision: 4, position: () => copy.revision };
  const written = new WrittenObjects(copy);
  expect(written.isAheadOf("default/web", [])).toBe(false);
  written.written("default/web", object("a", 5));
  expect(written.isAheadOf("default/web", [])).toBe(true);
  expect(written.isAheadOf("default/other", [])).toBe(false);
  copy.revision = 5;
  expect(written.isAheadOf("default/web", [object("a", 5)])).toBe(false);
  written.deleted("default/web", object("a", 5));
  expect(written.isAheadOf("default/web", [object("a", 5)])).toBe(true);
  expect(written.isAheadOf("default/web", [])).toBe(false);
});

test("an object that was created and deleted unseen is not awaited", () => {
  const written = new WrittenObjects({ position: () => 9 });
  written.written("default/web", object("a", 5));
  expect(written.isAheadOf("default/web", [])).toBe(false);
});

test("a write or delete by another process is a change, and this process's own writes are not", () => {
  const written = new WrittenObjects({ position: () => 9 });
  expect(written.isNews("default/web", object("a", 5))).toBe(true);
  written.written("default/web", object("a", 5));
  expect(written.isNews("default/web", object("a", 5))).toBe(false);
  expect(written.isNews("default/web", object("a", 6))).toBe(true);
  expect(written.noteGone("default/web", object("a", 6))).toBe(true);
  written.deleted("default/web", object("b", 5));
  expect(written.isNews("default/web", object("b", 5))).toBe(false);
  expect(written.noteGone("default/web", object("b", 6))).toBe(false);
  written.written("default/web", object("c", 5));
  written.forget("default/web");
  expect(written.isNews("default/web", object("c", 5))).toBe(true);
});
