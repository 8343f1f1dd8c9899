import { expect, test } from "vitest";
import { floorViolations, importCircles } from "./floors.ts";
import { filesPerFolder, filesPerFolderMax } from "./folder-sizes.ts";
import { floors } from "./rooms.ts";
import { type SourceFile, sourceFiles, workspaces } from "./source-files.ts";

const files = [...workspaces(), "test", "tools"].flatMap((folder) => sourceFiles(folder));

test("no room imports what stands above it, types included", () => {
  expect(files.length).toBeGreaterThan(1000);
  expect(files.flatMap(floorViolations)).toEqual([]);
});

test("every room of the table is a folder with files in it, and none is named twice", () => {
  for (const [workspace, rows] of Object.entries(floors)) {
    const rooms = rows.flat();
    const isIn = (room: string, path: string) => `${path}/`.startsWith(`${workspace}/src/${room}/`);
    const empty = rooms.filter((room) => !files.some(({ path }) => isIn(room, path)));
    expect(empty).toEqual([]);
    expect(new Set(rooms).size).toBe(rooms.length);
  }
});

/** Workspaces with two folders of code or more in src that have no row in the table. */
function workspacesWithoutFloors(sources: readonly SourceFile[]): string[] {
  const rooms = new Map<string, Set<string>>();
  for (const { path } of sources) {
    const [group, name, source, room = "", ...below] = path.split("/");
    const isRoom = source === "src" && below.length > 0 && !["testing", "bench"].includes(room);
    if (!isRoom || path.endsWith(".test.ts")) continue;
    const workspace = `${group}/${name}`;
    rooms.set(workspace, (rooms.get(workspace) ?? new Set()).add(room));
  }
  return [...rooms].filter(([workspace, own]) => own.size > 1 && !floors[workspace]).map(([workspace]) => workspace);
}

test("every workspace with several rooms has floors, and a planted one without is found", () => {
  expect(workspacesWithoutFloors(files)).toEqual([]);
  const planted = ["a/x.ts", "b/y.ts"].map((path) => ({ path: `packages/new/src/${path}`, text: "" }));
  expect(workspacesWithoutFloors(planted)).toEqual(["packages/new"]);
  expect(workspacesWithoutFloors(planted.slice(1))).toEqual([]);
});

const kubelet = "apps/kubelet/src";

test.each([
  ["a value of a higher floor", "pods/plan/a.ts", 'import { x } from "../../server/x.ts";', /server is not below/],
  ["a type of a higher floor", "model/a.ts", 'import type { X } from "../pods/plan/x.ts";', /pods\/plan is not below/],
  ["a type that is handed on", "model/a.ts", 'export type { X } from "../node/stats/x.ts";', /not below/],
  ["a room later on the same floor", "pods/plan/a.ts", 'import { x } from "../work/x.ts";', /pods\/work is not below/],
  ["the wiring", "pods/plan/a.ts", 'import type { X } from "../../kubelet.ts";', /no room imports the wiring/],
  ["a new room beside others", "pods/new/a.ts", 'import { x } from "../../base/x.ts";', /stands in no room/],
  ["a room that the table lacks", "new/a.ts", "export const x = 1;", /stands in no room/],
])("a planted import of %s is found", (_, path, text, rule) => {
  const violations = floorViolations({ path: `${kubelet}/${path}`, text });
  expect(violations).toHaveLength(1);
  expect(violations[0]).toMatch(rule);
});

test.each([
  ["a lower floor", "pods/plan/a.ts", 'import type { X } from "../../model/x.ts";'],
  ["a room earlier on the same floor", "pods/work/a.ts", 'import { x } from "../plan/x.ts";'],
  ["its own room", "pods/plan/a.ts", 'import { x } from "./x.ts";'],
  ["what the wiring names", "kubelet.ts", 'import { x } from "./server/x.ts";'],
  ["what a test names", "model/a.test.ts", 'import { x } from "../kubelet.ts";'],
])("an import of %s passes", (_, path, text) => {
  expect(floorViolations({ path: `${kubelet}/${path}`, text })).toEqual([]);
});

test("kinds import the rules of validation, and no rule of validation knows a kind", () => {
  const from = (room: string, target: string) =>
    floorViolations({ path: `packages/api/src/${room}/a.ts`, text: `import { x } from "../${target}/x.ts";` });
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
])("in the api-server, %s knows nothing of what uses it: %s of %s", (_, room, user) => {
  const from = (own: string, target: string) =>
    floorViolations({
      path: `apps/api-server/src/${own}/a.ts`,
      text: `import type { X } from "../${target}/x.ts";`,
    });
  expect(from(room, user)).toHaveLength(1);
  expect(from(user, room)).toEqual([]);
});

test("no files import each other in a circle, types included", () => {
  expect(importCircles(files)).toEqual([]);
});

test("a planted circle is found, also one of three files through types", () => {
  const planted: SourceFile[] = [
    { path: "packages/x/src/a.ts", text: 'import type { B } from "./b/b.ts";' },
    { path: "packages/x/src/b/b.ts", text: 'export type { C } from "./c.ts";' },
    { path: "packages/x/src/b/c.ts", text: 'import { a } from "../a.ts";' },
    { path: "packages/x/src/d.ts", text: 'import { a } from "./a.ts";' },
  ];
  expect(importCircles(planted)).toEqual([["packages/x/src/a.ts", "packages/x/src/b/b.ts", "packages/x/src/b/c.ts"]]);
});

test("no folder holds more files than a reader takes in at a glance", () => {
  const counts = filesPerFolder(files);
  expect([...counts].filter(([, count]) => count > filesPerFolderMax)).toEqual([]);
});

test("a folder with too many files is found, its tests not counted", () => {
  const planted = (count: number, ending: string) =>
    Array.from({ length: count }, (_, index) => ({ path: `packages/x/src/f${index}${ending}`, text: "" }));
  const counts = filesPerFolder([...planted(filesPerFolderMax + 1, ".ts"), ...planted(9, ".test.ts")]);
  expect(counts.get("packages/x/src")).toBe(filesPerFolderMax + 1);
});
