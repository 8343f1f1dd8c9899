import { expect, test } from "vitest";
import { type SourceFile, sourceFiles } from "./source-files.ts";

/** Files that run pods on nodes of the lab, whose images are made of the host's programs. */
const places = ["test/end-to-end", "test/slow", "test/bench", "test/chaos", "test/support", "demo", "docs/recipes"];

/**
 * The image has the version of each host's busybox, so tests may rely only on names that are valid
 * for all versions.
 */
function versionedNames({ path, text }: SourceFile): string[] {
  const names = text.match(/\bbusybox:(?!(?:latest|1)(?![\w.]|\\+\.))[\w.\\]+/g) ?? [];
  return names.map((name) => `${path} names ${name}: a host with another busybox has no such image`);
}

test("tests and demos do not name an image by a version that a host may lack", () => {
  const files = places.flatMap((place) => [".ts", ".yaml", ".md"].flatMap((ending) => sourceFiles(place, ending)));
  expect(files.length).toBeGreaterThan(50);
  expect(files.flatMap(versionedNames)).toEqual([]);
});

test("such a name is detected", () => {
  const text = "image: busybox:1.36 image: busybox:1 busybox:latest busybox:stable busybox:1\\.36";
  expect(versionedNames({ path: "a", text })).toHaveLength(3);
});
