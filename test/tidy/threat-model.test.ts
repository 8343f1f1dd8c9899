import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "./source-files.ts";

const page = readFileSync(join(repository, "docs/threat-model.md"), "utf8");

/** A row of a table of trust boundaries: its links, and the names of limits in the code. */
interface Border {
  readonly text: string;
  readonly files: readonly string[];
  readonly limits: readonly string[];
}

function bordersIn(markdown: string): Border[] {
  const tables = markdown.split("| border | limit | test |").slice(1);
  return tables.flatMap((table) => {
    const rows = table.split("\n\n")[0]?.split("\n").slice(2) ?? [];
    return rows.map((text) => ({
      text,
      files: [...text.matchAll(/\]\(\.\.\/([^)#]+)\)/g)].map(([, file = ""]) => file),
      limits: [...text.matchAll(/`([a-z]\w*(?:Max|Cap|Bytes|Megabytes|Descriptors))`/g)].map(([, name = ""]) => name),
    }));
  });
}

/** The rows whose limit is not in the named code, and rows without a test. */
function faultsOf({ text, files, limits }: Border): string[] {
  const there = files.filter((file) => existsSync(join(repository, file)));
  const sources = there.map((file) => readFileSync(join(repository, file), "utf8"));
  const faults = files.filter((file) => !there.includes(file)).map((file) => `${file} is not there`);
  for (const limit of limits)
    if (!sources.some((source) => new RegExp(String.raw`\b${limit}\b`).test(source)))
      faults.push(`no file of the row has ${limit}`);
  if (!files.some((file) => file.endsWith(".test.ts")) && !/\*\*open\*\*/.test(text)) faults.push(`no test: ${text}`);
  return faults;
}

test("each border of the threat model names existing limits of the code and an existing test", () => {
  const borders = bordersIn(page);
  expect(borders.length).toBeGreaterThan(25);
  expect(borders.flatMap(faultsOf)).toEqual([]);
});

test("a missing limit, file or test is detected", () => {
  const head = "| border | limit | test |\n|---|---|---|\n";
  const row = "| a | `bodyBytesMax` in [x](../README.md) | [y](../gone.test.ts) |\n| b | 1 | |";
  expect(bordersIn(head + row).flatMap(faultsOf)).toEqual([
    "gone.test.ts is not there",
    "no file of the row has bodyBytesMax",
    "no test: | b | 1 | |",
  ]);
});
