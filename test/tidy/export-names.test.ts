import { describe, expect, test } from "vitest";
import { exportedNames, reasonsToShare, sharedNames } from "./export-names.ts";
import { sourceFiles } from "./source-files.ts";

const reasoned = reasonsToShare.flatMap(({ names }) => names);

describe("one word, one thing", () => {
  const shared = sharedNames(["packages", "apps", "test"].flatMap((folder) => sourceFiles(folder)));

  test("no name is exported by two files without a reason", () => {
    expect(shared.filter(({ name }) => !reasoned.includes(name))).toEqual([]);
  });

  test("no reason exists for a name that only one file exports, and no name has two reasons", () => {
    const names = shared.map(({ name }) => name);
    expect(reasoned.filter((name) => !names.includes(name))).toEqual([]);
    expect(reasoned.filter((name, index) => reasoned.indexOf(name) !== index)).toEqual([]);
  });
});

test("a name that is planted in a second file is detected, for any form of its export", () => {
  const first = { path: "packages/a/src/a.ts", text: 'export const leaseGraceMs = 1;\nexport * from "./b.ts";\n' };
  const forms = [
    "export const leaseGraceMs = 2;",
    "export function leaseGraceMs(): number {",
    "export async function leaseGraceMs(): Promise<void> {",
    "export type leaseGraceMs = number;",
    "export abstract class leaseGraceMs {",
    "const own = 1;\nexport { own as leaseGraceMs };",
  ];
  for (const text of forms) {
    const planted = { path: "apps/b/src/b.ts", text };
    expect(sharedNames([first, planted])).toEqual([{ name: "leaseGraceMs", paths: [planted.path, first.path] }]);
  }
});

test("a name that is re-exported, private, or declared twice in one file is not shared", () => {
  const text = [
    'export { pods } from "./pods.ts";',
    'import { type Node, nodes } from "./nodes.ts";',
    "export type { Node };",
    "const hidden = 1;",
    "export interface Pod {}",
    "export const Pod = {};",
  ];
  expect(exportedNames(text.join("\n"))).toEqual(["Pod"]);
});
