import { expect, test } from "vitest";
import { moduleViolations, importCircles } from "./module-layers.ts";
import { filesPerFolder, filesPerFolderMax } from "./folder-sizes.ts";
import { moduleLayers } from "./modules.ts";
import { type SourceFile, sourceFiles, workspaces } from "./source-files.ts";

const files = [...workspaces(), "test", "tools"].flatMap((folder) => sourceFiles(folder));

test("no module imports a higher module, types included", () => {
  expect(files.length).toBeGreaterThan(1000);
  expect(files.flatMap(moduleViolations)).toEqual([]);
});

test("every module of the table is a folder with files in it, and no module is listed twice", () => {
  for (const [workspace, modules] of Object.entries(moduleLayers)) {
    const isIn = (module: string, path: string) => `${path}/`.startsWith(`${workspace}/src/${module}/`);
    const empty = modules.filter((module) => !files.some(({ path }) => isIn(module, path)));
    expect(empty).toEqual([]);
    expect(new Set(modules).size).toBe(modules.length);
  }
});

/** Workspaces with two folders of code or more in src that have no row in the table. */
function workspacesWithoutFloors(sources: readonly SourceFile[]): string[] {
  const modules = new Map<string, Set<string>>();
  for (const { path } of sources) {
    const [group, name, source, module = "", ...below] = path.split("/");
    const isModule = source === "src" && below.length > 0 && !["testing", "bench"].includes(module);
    if (!isModule || path.endsWith(".test.ts")) continue;
    const workspace = `${group}/${name}`;
    modules.set(workspace, (modules.get(workspace) ?? new Set()).add(module));
  }
  return [...modules]
    .filter(([workspace, own]) => own.size > 1 && !moduleLayers[workspace])
    .map(([workspace]) => workspace);
}

test("every workspace with several modules has moduleLayers, and a planted workspace without it is detected", () => {
  expect(workspacesWithoutFloors(files)).toEqual([]);
  const planted = ["a/x.ts", "b/y.ts"].map((path) => ({ path: `packages/new/src/${path}`, text: "" }));
  expect(workspacesWithoutFloors(planted)).toEqual(["packages/new"]);
  expect(workspacesWithoutFloors(planted.slice(1))).toEqual([]);
});

const kubelet = "apps/kubelet/src";

test.each([
  ["a value of a higher layer", "pods/plan/a.ts", 'import { x } from "../../server/x.ts";', /server is not below/],
  ["a type of a higher layer", "model/a.ts", 'import type { X } from "../pods/plan/x.ts";', /pods\/plan is not below/],
  ["a type that is handed on", "model/a.ts", 'export type { X } from "../node/stats/x.ts";', /not below/],
  [
    "a module later on the same layer",
    "pods/plan/a.ts",
    'import { x } from "../work/x.ts";',
    /pods\/work is not below/,
  ],
  ["the wiring", "pods/plan/a.ts", 'import type { X } from "../../kubelet.ts";', /no module imports the wiring/],
  ["a new module next to others", "pods/new/a.ts", 'import { x } from "../../base/x.ts";', /stands in no module/],
  ["a module that the table lacks", "new/a.ts", "export const x = 1;", /stands in no module/],
])("a planted import of %s is detected", (_, path, text, rule) => {
  const violations = moduleViolations({ path: `${kubelet}/${path}`, text });
  expect(violations).toHaveLength(1);
  expect(violations[0]).toMatch(rule);
});

test.each([
  ["a lower layer", "pods/plan/a.ts", 'import type { X } from "../../model/x.ts";'],
  ["a module earlier on the same layer", "pods/work/a.ts", 'import { x } from "../plan/x.ts";'],
  ["its own module", "pods/plan/a.ts", 'import { x } from "./x.ts";'],
  ["a name in the wiring", "kubelet.ts", 'import { x } from "./server/x.ts";'],
  ["a name in a test", "model/a.test.ts", 'import { x } from "../kubelet.ts";'],
])("an import of %s passes", (_, path, text) => {
  expect(moduleViolations({ path: `${kubelet}/${path}`, text })).toEqual([]);
});

test("kinds import the rules of validation, and no rule of validation imports a kind", () => {
  const from = (module: string, target: string) =>
    moduleViolations({ path: `packages/api/src/${module}/a.ts`, text: `import { x } from "../${target}/x.ts";` });
  expect([from("kinds", "validation"), from("kinds", "table")]).toEqual([[], []]);
  expect(from("validation", "kinds")).toHaveLength(1);
  expect(from("kinds", "timeline")).toHaveLength(1);
});

test.each([
  ["a message", "http", "handler"],
  ["a message", "http", "request"],
  ["a stored object", "resources", "verbs"],
  ["a rule of admission", "admission", "writes"],
  ["a verb", "verbs", "subresources"],
  ["a stage of a request", "handler", "transport"],
])("in the api-server, %s does not depend on its users: %s of %s", (_, module, user) => {
  const from = (own: string, target: string) =>
    moduleViolations({
      path: `apps/api-server/src/${own}/a.ts`,
      text: `import type { X } from "../${target}/x.ts";`,
    });
  expect(from(module, user)).toHaveLength(1);
  expect(from(user, module)).toEqual([]);
});

test("no files import each other in a cycle, types included", () => {
  expect(importCircles(files)).toEqual([]);
});

test("a planted cycle is detected, including a cycle of three files through types", () => {
  const planted: SourceFile[] = [
    { path: "packages/x/src/a.ts", text: 'import type { B } from "./b/b.ts";' },
    { path: "packages/x/src/b/b.ts", text: 'export type { C } from "./c.ts";' },
    { path: "packages/x/src/b/c.ts", text: 'import { a } from "../a.ts";' },
    { path: "packages/x/src/d.ts", text: 'import { a } from "./a.ts";' },
  ];
  expect(importCircles(planted)).toEqual([["packages/x/src/a.ts", "packages/x/src/b/b.ts", "packages/x/src/b/c.ts"]]);
});

test("no folder holds more files than the limit", () => {
  const counts = filesPerFolder(files);
  expect([...counts].filter(([, count]) => count > filesPerFolderMax)).toEqual([]);
});

test("a folder with too many files is detected, not counting its tests", () => {
  const planted = (count: number, ending: string) =>
    Array.from({ length: count }, (_, index) => ({ path: `packages/x/src/f${index}${ending}`, text: "" }));
  const counts = filesPerFolder([...planted(filesPerFolderMax + 1, ".ts"), ...planted(9, ".test.ts")]);
  expect(counts.get("packages/x/src")).toBe(filesPerFolderMax + 1);
});
