import { readFile } from "node:fs/promises";
import { faults } from "@kintsugi/simulation";
import { expect, test } from "vitest";

const readme = new URL("README.md", import.meta.url);

test("the table of the catalogue names each fault of the list in every row that represents it, and no other word", async () => {
  const rows = (await readFile(readme, "utf8")).split("\n").filter((line) => /^\| (?:F\d|Sieve|swizzle)/.test(line));
  const named = rows.flatMap((row) => {
    const [, ids = "", , where = ""] = row.split("|").map((cell) => cell.trim());
    const words = [...where.matchAll(/`([a-z]+(?:-[a-z]+)*)`/g)].map(([, word]) => `${ids}: ${word}`);
    return words;
  });
  const listed = faults.flatMap(({ name, catalogue }) => catalogue.map((id) => `${id}: ${name}`));
  expect(named.toSorted()).toEqual(listed.toSorted());
});

test("every fault has its own word and a sentence", () => {
  const names = faults.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, sentence } of faults) {
    expect(name).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
    expect(sentence).toMatch(/^[A-Z].*\.$/);
  }
});
