import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { expect, test } from "vitest";
import { repository, type SourceFile, sourceFiles, workspaces } from "./source-files.ts";

const headings = ["## What it is", "## What it is not", "## Invariants", "## Public API", "## How to test it"];

/** Lists the faults of a workspace's README. */
function readmeFaults(text: string): string[] {
  const faults = headings.filter((heading) => !text.includes(`\n${heading}\n`)).map((heading) => `lacks "${heading}"`);
  for (const heading of headings) {
    const body = text.split(`\n${heading}\n`)[1]?.split("\n## ")[0] ?? "";
    if (text.includes(`\n${heading}\n`) && body.trim().length < 20)
      faults.push(`says next to nothing under "${heading}"`);
  }
  return faults;
}

test("every workspace has a README with the five headings, and text below each", () => {
  const faults = workspaces().flatMap((workspace) => {
    const file = join(repository, workspace, "README.md");
    if (!existsSync(file)) return [`${workspace} has no README.md`];
    return readmeFaults(readFileSync(file, "utf8")).map((fault) => `${workspace}/README.md ${fault}`);
  });
  expect(faults).toEqual([]);
});

test("a README without a heading, or with an empty heading, is detected", () => {
  expect(readmeFaults("# x\n\n## What it is\n\nA thing that does a thing.\n")).toHaveLength(4);
  expect(readmeFaults(`# x\n${headings.map((h) => `\n${h}\n\nshort\n`).join("")}`)).toHaveLength(5);
});

/** A workspace with fewer folders can be read without a list. */
const listedFoldersMin = 2;

/** Lists the folders directly below the `src` of a workspace, except its parts for tests. */
function foldersOf(workspace: string): string[] {
  return readdirSync(join(repository, workspace, "src"), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(join(repository, workspace, "src"), entry.parentPath).split(sep)[0] ?? "")
    .filter((folder, index, all) => all.indexOf(folder) === index)
    .filter((folder) => !["", "testing", "simulated"].includes(folder) && !folder.startsWith("planted-"));
}

/** Lists the folders that a README of a workspace with several folders does not name. */
function unnamedFolders(text: string, folders: readonly string[]): string[] {
  if (folders.length < listedFoldersMin) return [];
  return folders.filter((folder) => !new RegExp(`\`(?:src/)?${folder}(?:/[^\`]*)?\``).test(text));
}

test("the README of a workspace with several folders names each of them", () => {
  const many = workspaces().filter((workspace) => foldersOf(workspace).length >= listedFoldersMin);
  expect(many).toContain("apps/api-server");
  const faults = many.flatMap((workspace) =>
    unnamedFolders(readFileSync(join(repository, workspace, "README.md"), "utf8"), foldersOf(workspace)).map(
      (folder) => `${workspace}/README.md does not name ${folder}/`,
    ),
  );
  expect(faults).toEqual([]);
});

test("a folder that a README does not name is detected", () => {
  const text = "`verbs/` one file for each verb; `src/watch/` changes; `plan/rolling.ts`; the quota of a namespace";
  expect(unnamedFolders(text, ["verbs", "watch", "plan", "quota"])).toEqual(["quota"]);
  expect(unnamedFolders(text, ["quota"])).toEqual([]);
});

test("the front page remains short and links to further pages", () => {
  const text = readFileSync(join(repository, "README.md"), "utf8");
  expect(text.split("\n").length).toBeLessThan(120);
  for (const link of ["ARCHITECTURE.md", "STYLE.md", "docs/"]) expect(text).toContain(link);
});

test("the front page begins with a picture, a sentence and three commands of the package", () => {
  const text = readFileSync(join(repository, "README.md"), "utf8");
  const screen = text.slice(0, text.indexOf("\n## "));
  expect(screen.match(/^!\[.*$/gm)).toHaveLength(1);
  expect(screen.match(/^\*\*[^.]*\.\*\*$/gm)).toHaveLength(1);
  const commands = screen.match(/(?<=^(?:sudo )?npx kintsugi@latest )\S+/gm);
  expect(commands).toEqual(["simulate", "rehearse", "up"]);
  const next = text.slice(screen.length).match(/^npm ci .*$/gm);
  expect(next).toEqual(["npm ci && npm run demo", "npm ci && npm test"]);
});

/**
 * Lists the dead references of a document: links to files, to headings of documents, and scripts of
 * package.json.
 */
function documentFaults({ path, text }: SourceFile, scripts: readonly string[]): string[] {
  const faults: string[] = [];
  for (const [, file = "", anchor] of text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)/g)) {
    const target = file === "" ? path : join(path, "..", file);
    if (target !== path && !existsSync(join(repository, target))) faults.push(`${path} links to ${file}`);
    else if (anchor !== undefined && target.endsWith(".md")) {
      const headings = target === path ? text : readFileSync(join(repository, target), "utf8");
      if (!anchorsOf(headings).includes(anchor)) faults.push(`${path} links to #${anchor} of ${target}`);
    }
  }
  // A formatter joins the lines of code that is not in a block.
  const prose = text.replaceAll(/^```[^]*?^```$/gm, "");
  for (const [line] of prose.matchAll(/^(?:const|let|import|await|export) .*[;({,:]$/gm))
    faults.push(`${path} shows code outside of a code block: ${line}`);
  for (const [, script = ""] of text.matchAll(/\bnpm run ([a-z:]+)/g))
    if (!scripts.includes(script)) faults.push(`${path} runs ${script}, which package.json has not`);
  return faults;
}

/** Makes the anchors of headings as the documentation sites do. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { scripts: object };

test("code outside of a code block is detected", () => {
  const code = 'const client = createClient({ clock }, { userAgent:\n"x" }); await client.get(';
  expect(documentFaults({ path: "planted.md", text: `# The one\n\n${code}\n` }, [])).toEqual([
    "planted.md shows code outside of a code block: const client = createClient({ clock }, { userAgent:",
  ]);
  expect(documentFaults({ path: "planted.md", text: `# The one\n\n\`\`\`ts\n${code}\n\`\`\`\n` }, [])).toEqual([]);
});

test("links and scripts in the project's documents have existing targets", () => {
  const documents = sourceFiles(".", ".md");
  expect(documents.length).toBeGreaterThan(workspaces().length);
  expect(documents.flatMap((document) => documentFaults(document, Object.keys(scripts)))).toEqual([]);
});

test("a link to a missing file or heading, and a missing script, are detected", () => {
  const text =
    "# The one\n\n[a](#the-one) [b](README.md) [c](nowhere.md) [d](#the-other)\n\n`npm run tset` `npm run demo`\n";
  expect(documentFaults({ path: "planted.md", text }, ["demo"])).toEqual([
    "planted.md links to nowhere.md",
    "planted.md links to #the-other of planted.md",
    "planted.md runs tset, which package.json has not",
  ]);
});

/** Pages that an index does not link to. */
function unlisted(index: SourceFile, pages: readonly string[]): string[] {
  const listed = new Set(
    [...index.text.matchAll(/\]\(([^)#\s]+)/g)].map(([, target = ""]) => join(index.path, "..", target)),
  );
  return pages.filter((page) => page !== index.path && !listed.has(page));
}

const read = (path: string): SourceFile => ({ path, text: readFileSync(join(repository, path), "utf8") });

test("the index of the documentation links to every page below docs/", () => {
  const pages = sourceFiles("docs", ".md").map(({ path }) => path);
  expect(pages.length).toBeGreaterThan(20);
  expect(unlisted(read("docs/README.md"), pages)).toEqual([]);
});

test("the architecture's code map has a row for every workspace, and no other row", () => {
  const architecture = read("ARCHITECTURE.md");
  const readmes = workspaces().map((workspace) => `${workspace}/README.md`);
  expect(unlisted(architecture, readmes)).toEqual([]);
  const rows = [...architecture.text.matchAll(/^\| \[((?:packages|apps)\/[^\]]+)\]/gm)].map(([, name]) => name);
  expect(new Set(rows)).toEqual(new Set(workspaces()));
  expect(rows).toHaveLength(workspaces().length);
});

test("a page that an index does not list is detected", () => {
  expect(unlisted({ path: "docs/README.md", text: "[a](a.md)" }, ["docs/README.md", "docs/a.md", "docs/b.md"])).toEqual(
    ["docs/b.md"],
  );
});
