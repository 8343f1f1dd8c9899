import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "./source-files.ts";

const page = readFileSync(join(repository, "docs/reading-tour.md"), "utf8");

/** A file of the tour: its number, the text and target of its link, and its sentences. */
interface Stop {
  readonly number: number;
  readonly name: string;
  readonly target: string;
  readonly text: string;
}

function stopsIn(markdown: string): Stop[] {
  const found = markdown.matchAll(/^(\d+)\. \[([^\]]+)\]\(([^)]+)\):\n((?: {3}.+\n)+)/gm);
  return [...found].map(([, number = "", name = "", target = "", text = ""]) => ({
    number: Number(number),
    name,
    target,
    text,
  }));
}

function linesOf(file: string): number {
  return readFileSync(join(repository, file), "utf8").split("\n").length - 1;
}

/** Lists the dead links, wrong numbers and missing sentences of the tour. */
function faultsOf(markdown: string): string[] {
  const stops = stopsIn(markdown);
  const faults = stops.flatMap(({ number, name, target, text }, index) => [
    ...(number === index + 1 ? [] : [`stop ${index + 1} has the number ${number}`]),
    ...(target === `../${name}` ? [] : [`${name} links to ${target}`]),
    ...(existsSync(join(repository, name)) ? [] : [`${name} is not there`]),
    ...([...text.matchAll(/[.?!](?=\s)/g)].length >= 2 ? [] : [`${name} has fewer than two sentences`]),
  ]);
  for (const [word] of markdown.matchAll(/`[a-z][a-z-]+\.test\.ts`/g))
    if (!stops.some(({ name }) => existsSync(join(repository, name, "..", word.slice(1, -1)))))
      faults.push(`${word} is in no folder of the tour`);
  return faults;
}

test("the reading tour has forty files that exist, in order, of at most 8,000 lines", () => {
  const stops = stopsIn(page);
  expect(faultsOf(page)).toEqual([]);
  expect(new Set(stops.map(({ name }) => name)).size).toBe(40);
  const lines = stops.map(({ name }) => linesOf(name)).reduce((sum, count) => sum + count, 0);
  expect(lines).toBeLessThanOrEqual(8000);
  const [, told = ""] = /they are about ([\d,]+) lines/.exec(page.replaceAll("\n", " ")) ?? [];
  expect(Math.abs(Number(told.replace(",", "")) - lines)).toBeLessThanOrEqual(200);
});

test("a stop that does not exist or has another link is detected", () => {
  const planted =
    "1. [apps/no.ts](../apps/other.ts):\n   One. Two. Three.\n3. [ARCHITECTURE.md](../ARCHITECTURE.md):\n   One.\n";
  expect(faultsOf(planted)).toEqual([
    "apps/no.ts links to ../apps/other.ts",
    "apps/no.ts is not there",
    "stop 2 has the number 3",
    "ARCHITECTURE.md has fewer than two sentences",
  ]);
});
