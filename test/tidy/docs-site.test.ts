import { lessons } from "@kintsugi/story";
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
    "index.html leads to #two of docs/a.html, which does not exist",
    "index.html leads to /gone, which does not exist",
    "docs/a.html loads https://cdn.example/x.js",
  ]);
});

test("documents play lessons that exist, in a frame that is loaded when it is opened", () => {
  const documents = [{ path: "docs/a.md", text: "# A\n\n<!-- lesson: node-dead -->\n" }];
  const text = page(documents, "docs/a.md") ?? "";
  expect(text).toContain('<iframe src="/playground/index.html#lesson=node-dead" title="Lesson: A node dies"');
  expect(text).toMatch(/^<details><summary>.*loading="lazy".*<\/details>$/m);
  expect(() => planPages([{ path: "docs/a.md", text: "<!-- lesson: gone -->" }])).toThrow(
    "docs/a.md plays the lesson gone, which does not exist",
  );
});

test("the tutorials and the articles play lessons, with the titles of the lessons", () => {
  const marked = sourceFiles("docs", ".md").filter(({ text }) => text.includes("<!-- lesson: "));
  expect(marked.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["docs/tutorial.md", "docs/first-rehearsal.md", "docs/reading-tour.md"]),
  );
  const articles = sourceFiles("apps/dashboard/playground/articles", ".html");
  expect(articles).toHaveLength(4);
  const flat = (text: string) => text.replaceAll(/\s+/g, " ").replaceAll(" />", ">");
  for (const { text } of articles) {
    const [, id] = /#lesson=([\w-]+)/.exec(text) ?? [];
    const lesson = lessons.find((each) => each.id === id);
    expect(lesson).toBeDefined();
    if (lesson === undefined) continue;
    expect(flat(text)).toContain(`Play the lesson “${lesson.title}” here (${lesson.minutes} min)`);
    expect(flat(text)).toContain(`title="Lesson: ${lesson.title}"`);
  }
});
