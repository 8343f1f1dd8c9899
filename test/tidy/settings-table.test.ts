import { readFileSync } from "node:fs";
import { join } from "node:path";
import { anySettings } from "@kintsugi/lab";
import { expect, test } from "vitest";
import { repository } from "./source-files.ts";

const head = "| flag of `up` | field of a topology | effect |\n|---|---|---|\n";

/** A table in a page must not end at a bar within a cell. */
function cell(text: string | undefined): string {
  return text === undefined ? "" : `\`${text.replaceAll("|", "\\|")}\``;
}

test("docs/settings.md lists every setting of `kintsugi up`", () => {
  const page = readFileSync(join(repository, "docs/settings.md"), "utf8");
  const rows = anySettings.map(
    ({ flag, field, help }) => `| ${cell(flag?.flags)} | ${cell(field?.name)} | ${help} |\n`,
  );
  expect(page.slice(page.indexOf(head)).split("\n\n")[0]?.trimEnd()).toBe(`${head}${rows.join("")}`.trimEnd());
});

test.each(anySettings.filter(({ flag }) => flag !== undefined))(
  "the setting $name has the name of its flag",
  (each) => {
    const [, words = ""] = /--(?:no-)?([a-z-]+)/.exec(each.flag?.flags ?? "") ?? [];
    expect(words.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())).toBe(each.name);
  },
);

test("no two settings have the same field of a topology", () => {
  const names = anySettings.flatMap(({ field }) => field?.name ?? []);
  expect(new Set(names).size).toBe(names.length);
});
