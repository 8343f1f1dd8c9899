import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "./source-files.ts";

/**
 * Prefixes of folders and files of the repository; a name without a folder belongs to the previous
 * path.
 */
const rooted = /^(?:apps|packages|docs|test|tools|deploy)\//;

/** Returns the rows of the tables of "Where do I…?". */
function questions(text: string): string[] {
  const section = text.split("\n## Where do I…?\n")[1]?.split("\n## ")[0] ?? "";
  return section.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| I want to"));
}

/**
 * Returns the paths that a row names in code or in links; a placeholder such as <group> ends a
 * path.
 */
function pathsOf(row: string): string[] {
  const inCode = [...row.matchAll(/`([^`\s]+)`/g)].map(([, path = ""]) => path);
  const inLinks = [...row.matchAll(/\]\(([^)#]+)/g)].map(([, path = ""]) => path);
  return [...inCode, ...inLinks].filter((path) => rooted.test(path)).map((path) => path.split("<")[0] ?? "");
}

/** Returns the faults of a table: the paths that do not exist. */
function tableFaults(text: string): string[] {
  return questions(text).flatMap((row) => {
    const faults = pathsOf(row).filter((path) => !existsSync(join(repository, path)));
    return faults.map((path) => `${path} does not exist`);
  });
}

const architecture = readFileSync(join(repository, "ARCHITECTURE.md"), "utf8");

test('every path in the table "Where do I…?" exists', () => {
  expect(questions(architecture).length).toBeGreaterThan(25);
  expect(questions(architecture).flatMap(pathsOf).length).toBeGreaterThan(30);
  expect(tableFaults(architecture)).toEqual([]);
});

test.each([
  "a kind",
  "a volume type",
  "an admission rule",
  "a metric",
  "an invariant",
  "a fault",
  "an option",
  "a role",
  "the history",
  "the weight of a score",
  "a PATCH type",
])("the table names the place where %s is added or changed", (subject) => {
  expect(questions(architecture).filter((row) => row.split("|")[1]?.includes(subject))).not.toEqual([]);
});

test("a path that does not exist is detected, in code and in a link", () => {
  const text =
    "\n## Where do I…?\n\n| I want to | look at |\n|---|---|\n| a | `apps/nowhere/` and `packages/api/src/kinds/<group>/` |\n| b | [c](docs/nothing.md#d) |\n";
  expect(tableFaults(text)).toEqual(["apps/nowhere/ does not exist", "docs/nothing.md does not exist"]);
});
