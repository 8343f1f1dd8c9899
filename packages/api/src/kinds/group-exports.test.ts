import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const kinds = import.meta.dirname;
const groups = readdirSync(kinds, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const index = readFileSync(join(kinds, "../index.ts"), "utf8");

test.each(groups)("the group %s exports its kinds in one file, which the package exports", (group) => {
  const path = `${group}/${group}-group.ts`;
  expect(existsSync(join(kinds, path))).toBe(true);
  expect(index).toContain(`export * from "./kinds/${path}";`);
});

test("the package exports only that file of a group", () => {
  const ofGroups = [...index.matchAll(/"\.\/kinds\/(\w+)\/([\w/-]+)\.ts"/g)].map(([, group, file]) => [group, file]);
  expect(ofGroups).toEqual(groups.map((group) => [group, `${group}-group`]));
});
