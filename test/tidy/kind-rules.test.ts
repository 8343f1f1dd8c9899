import { posix } from "node:path";
import { expect, test } from "vitest";
import { exportedNames } from "./export-names.ts";
import { type SourceFile, sourceFiles } from "./source-files.ts";

/** "PodTemplate" → "pod-template", "CSIDriver" → "csi-driver". */
function kebabCase(kind: string): string {
  return kind.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "-").toLowerCase();
}

/** The folders of each kind: those of the files that declare its names. */
function foldersByKind(files: readonly SourceFile[]): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  for (const { path, text } of files.filter((file) => /-types?\.ts$/.test(file.path)))
    for (const [, kind = ""] of text.matchAll(/\bkind: "(\w+)"/g))
      folders.set(kind, (folders.get(kind) ?? new Set()).add(posix.dirname(path)));
  return folders;
}

/**
 * Lists the functions such as `validateConfigMap` that are neither in the folder of their kind nor
 * in a file with the name of the kind. A reader looks for the rules of a kind in its folder.
 */
function misplacedRules(files: readonly SourceFile[]): string[] {
  const folders = foldersByKind(files);
  return files.flatMap(({ path, text }) =>
    exportedNames(text).flatMap((name) => {
      const kind = /^validate(\w+?)(?:Create|Status|StatusUpdate|Update)?$/.exec(name)?.[1] ?? "";
      const isNear = [...(folders.get(kind) ?? [])].some((folder) => path.startsWith(`${folder}/`));
      const isNamed = posix.basename(path, ".ts").replace(/-validation$/, "") === kebabCase(kind);
      return !folders.has(kind) || isNear || isNamed ? [] : [`${path} has ${name}`];
    }),
  );
}

test("the rules of a kind are in its folder, or in a file with its name", () => {
  const files = sourceFiles("packages/api/src");
  expect(foldersByKind(files).size).toBeGreaterThan(60);
  expect(misplacedRules(files)).toEqual([]);
});

test("a rule that is planted in a file for several kinds is detected", () => {
  const type = { path: "kinds/core/config-map/config-map-type.ts", text: 'const a = { kind: "ConfigMap" };\n' };
  const rule = (path: string) => ({ path, text: "export function validateConfigMapUpdate(): void {}\n" });
  expect(misplacedRules([type, rule("kinds/core/config-validation.ts")])).toEqual([
    "kinds/core/config-validation.ts has validateConfigMapUpdate",
  ]);
  expect(misplacedRules([type, rule("kinds/core/config-map/rules.ts"), rule("kinds/core/config-map.ts")])).toEqual([]);
});
