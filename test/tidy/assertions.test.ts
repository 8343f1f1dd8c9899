import { expect, test } from "vitest";
import { type SourceFile, sourceFiles } from "./source-files.ts";

const theImport = 'import { strict as assert } from "node:assert";';

/** Lists the faults of a file's assertions. */
function assertionFaults({ path, text }: SourceFile): string[] {
  const faults: string[] = [];
  if (/^import [^;\n]*\bassert\b[^;\n]* from "node:assert/m.test(text) && !text.includes(theImport))
    faults.push(`${path}: assert comes by ${theImport}`);
  if (/^(?:export )?function assert\(/m.test(text)) faults.push(`${path}: there is one assert, Node's`);
  if (/\bassert\([^,;]*\);/.test(text)) faults.push(`${path}: an assertion says in words what was promised`);
  return faults;
}

test("only one assert function exists, and each use states its promise", () => {
  const files = ["packages", "apps"]
    .flatMap((folder) => sourceFiles(folder))
    .filter(({ path }) => !path.endsWith(".test.ts"));
  const asserting = files.filter(({ text }) => text.includes(theImport));
  expect(asserting.length).toBeGreaterThan(20);
  expect(files.flatMap(assertionFaults)).toEqual([]);
});

test.each([
  ["another import", 'import assert from "node:assert/strict";'],
  ["an assert of one's own", "export function assert(holds: boolean): void {}"],
  ["a promise without words", `${theImport}\nassert(index >= 0);`],
])("%s is detected", (_, text) => {
  expect(assertionFaults({ path: "a.ts", text })).toHaveLength(1);
});
