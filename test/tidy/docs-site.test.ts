import { expect, test } from "vitest";
import { siteFaults } from "../../tools/site/check-site.ts";
import { planPages } from "../../tools/site/plan-pages.ts";
import { sourceFiles } from "./source-files.ts";

const page = (documents: Parameters<typeof planPages>[0], path: string) =>
  planPages(documents).pages.find((each) => each.path === path)?.text;

test("each document of the repository has a place on the site", () => {
  const plan = planPages(sourceFiles(".", ".md"));
  expect(plan.orphans).toEqual([]);
  expect(plan.sections[0]?.pages).toContain("index.md");
  expect(plan.pictures).toContain("docs/pictures/dashboard-mended.png");
});

test("a document that docs/README.md omits is detected", () => {
  const documents = [
    { path: "docs/README.md", text: "# Documentation\n\n## How to\n\n[a](a.md)\n" },
    { path: "docs/a.md", text: "# A\n" },
    { path: "docs/b.md", text: "# B\n" },
  ];
  const { sections, orphans } = planPages(documents);
  expect(sections[0]).toEqual({ title: "How to", pages: ["docs/a.md"] });
  expect(orphans).toEqual(["docs/b.md"]);
});

test("links lead to pages and pictures, and name the files that are not pages", () => {
  const documents = [
    {
      path: "docs/a.md",
      text:
        "# A\n[b](../README.md#top) [c](design/) [`x.ts`](../src/x.ts) [how](../src/x.ts) ![p](p.png)\n" +
        "`[kept](../src/x.ts)` [out](https://example.org)\n\n```\n[kept](../src/x.ts)\n```\n",
    },
    { path: "README.md", text: "# Top\n" },
    { path: "docs/design/README.md", text: "# Design\n" },
  ];
  expect(page(documents, "docs/a.md")).toBe(
    "# A\n[b](../index.md#top) [c](./design/index.md) `src/x.ts` how (`src/x.ts`) ![p](./p.png)\n" +
      "`[kept](../src/x.ts)` [out](https://example.org)\n\n```\n[kept](../src/x.ts)\n```\n",
  );
});

test("a built site with a dead link, a missing heading or a foreign script is detected", () => {
  const files = new Map([
    ["index.html", '<a href="/docs/a.html#one">a</a> <a class="x" href="docs/a#two">b</a> <a href="/gone">c</a>'],
    ["docs/a.html", '<h2 id="one">One</h2><script src="https://cdn.example/x.js"></script><img src="../p.png">'],
    ["p.png", ""],
  ]);
  expect(siteFaults(files)).toEqual([
    "index.html leads to #two of docs/a.html, which is not there",
    "index.html leads to /gone, which is not there",
    "docs/a.html loads https://cdn.example/x.js",
  ]);
});
