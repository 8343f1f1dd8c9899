import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { formatTestList, listTests, withList } from "../conformance/list-tests.ts";

const document = readFileSync(join(import.meta.dirname, "../../docs/conformance.md"), "utf8");

test("the list of conformance tests is generated from the names and the tests", () => {
  const listed = listTests();
  expect(listed).toHaveLength(446);
  expect(new Set(listed.map(({ codename }) => codename)).size).toBe(446);
  expect(withList(document, formatTestList(listed))).toBe(document);
});

test("a test that is missing from the list is detected, and so is a document without a place for it", () => {
  const [first] = listTests();
  const other = first === undefined ? [] : [{ ...first, files: ["new.test.ts"] }];
  expect(withList(document, formatTestList(other))).not.toBe(document);
  expect(() => withList("# Conformance", formatTestList(other))).toThrow("no place");
});
