import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository, workspaces } from "./source-files.ts";

const headings = ["## What it is", "## What it is not", "## Invariants", "## Public API", "## How to test it"];

/** What is wrong with a workspace's README. */
function readmeFaults(text: string): string[] {
  const faults = headings.filter((heading) => !text.includes(`\n${heading}\n`)).map((heading) => `lacks "${heading}"`);
  for (const heading of headings) {
    const body = text.split(`\n${heading}\n`)[1]?.split("\n## ")[0] ?? "";
    if (text.includes(`\n${heading}\n`) && body.trim().length < 20)
      faults.push(`says next to nothing under "${heading}"`);
  }
  return faults;
}

test("every workspace has a README with the five headings, and something below each", () => {
  const faults = workspaces().flatMap((workspace) => {
    const file = join(repository, workspace, "README.md");
    if (!existsSync(file)) return [`${workspace} has no README.md`];
    return readmeFaults(readFileSync(file, "utf8")).map((fault) => `${workspace}/README.md ${fault}`);
  });
  expect(faults).toEqual([]);
});

test("a README without a heading, or with an empty one, is found", () => {
  expect(readmeFaults("# x\n\n## What it is\n\nA thing that does a thing.\n")).toHaveLength(4);
  expect(readmeFaults(`# x\n${headings.map((h) => `\n${h}\n\nshort\n`).join("")}`)).toHaveLength(5);
});

test("the front page stays short and leads on", () => {
  const text = readFileSync(join(repository, "README.md"), "utf8");
  expect(text.split("\n").length).toBeLessThanOrEqual(80);
  for (const link of ["ARCHITECTURE.md", "STYLE.md", "docs/"]) expect(text).toContain(link);
});

test("links between the project's documents lead somewhere", () => {
  const documents = ["README.md", "ARCHITECTURE.md", ...workspaces().map((workspace) => `${workspace}/README.md`)];
  const broken = documents.flatMap((document) => {
    const text = readFileSync(join(repository, document), "utf8");
    return [...text.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)]
      .map((match) => match[1] ?? "")
      .filter((target) => !existsSync(join(repository, document, "..", target)))
      .map((target) => `${document} links to ${target}`);
  });
  expect(broken).toEqual([]);
});
