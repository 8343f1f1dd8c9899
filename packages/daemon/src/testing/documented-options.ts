import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { FlagTable } from "../config/flag.ts";
import { describeFlags } from "../config/option-table.ts";

const begins = "<!-- options -->\n";
const ends = "\n<!-- /options -->";

/** The test that the table in a README matches the options. `vitest --update` writes it. */
export function testDocumentedOptions(readmeFile: string, table: FlagTable): void {
  test("the documented table of options in README.md equals this table", async () => {
    const readme = readFileSync(readmeFile, "utf8");
    const [before, , after] = splitAround(readme);
    await expect(`${before}${begins}${describeFlags(table)}${ends}${after}`).toMatchFileSnapshot(readmeFile);
  });
}

function splitAround(readme: string): [before: string, table: string, after: string] {
  const [from, to] = [readme.indexOf(begins), readme.indexOf(ends)];
  if (from < 0 || to < from) throw new Error("README.md has no place for the table of options");
  return [readme.slice(0, from), readme.slice(from + begins.length, to), readme.slice(to + ends.length)];
}
