import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository, type SourceFile, sourceFiles, workspaces } from "./source-files.ts";

/** Records of the past name the files, commands and figures of their time. */
const records = /^(?:docs\/(?:benchmarks|bugs-found|reliability)|CHANGELOG|test\/simulation\/sabotage)/;

const documents = sourceFiles(".", ".md").filter(({ path }) => !records.test(path));

/** Prefixes of the repository's paths. A placeholder or a pattern ends the checked part. */
const rooted = /^(?:apps|packages|docs|test|tools|deploy|bin|demo)\/[\w./-]+$/;

/** Folders that builds and commands create. */
const built = /(?:^|\/)(?:bundle|dist|node_modules)(?:\/|$)/;

/** Names of the same form in other projects and in the store. */
const foreign: ReadonlySet<string> = new Set([
  "deploy/static/provider/baremetal/deploy.yaml", // of ingress-nginx
  "deploy/kubernetes", // of a CSI driver
  "deploy/local-path-storage.yaml", // of local-path-provisioner
  "apps/deployments", // a key of the store
]);

/** Lists the paths in code that do not exist. A path may be relative to the folder of its page. */
function missingPaths({ path, text }: SourceFile, exists: (path: string) => boolean): string[] {
  const named = Array.from(text.matchAll(/`([^`\s]+)`/g), ([, name = ""]) => name.replace(/:\d+$/, ""));
  return named
    .filter((name) => rooted.test(name) && !built.test(name) && !foreign.has(name))
    .filter((name) => !exists(name) && !exists(join(path, "..", name)))
    .map((name) => `${path} names ${name}`);
}

test("the paths that documents name exist", () => {
  const exists = (path: string) => existsSync(join(repository, path));
  expect(documents.flatMap((document) => missingPaths(document, exists))).toEqual([]);
});

test("a path that does not exist is detected", () => {
  const text = "`apps/kubelet/src/main.ts:12` `apps/gone/main.ts` `apps/<name>/x.ts` `src/a.ts`";
  const exists = (path: string) => path === "apps/kubelet/src/main.ts";
  expect(missingPaths({ path: "docs/a.md", text }, exists)).toEqual(["docs/a.md names apps/gone/main.ts"]);
});

/** Files that a page of recipes creates, of bundles, and of other projects that STYLE.md quotes. */
const elsewhere = /^(?:docs\/recipes\/|STYLE\.md$)/;

/** Lists the source files that a page names by the end of their paths, and that do not exist. */
function missingSources({ path, text }: SourceFile, sources: readonly string[]): string[] {
  if (elsewhere.test(path)) return [];
  const named = Array.from(text.matchAll(/`((?:[\w-]+\/)*[\w.-]+\.tsx?)`/g), ([, name = ""]) => name);
  return named
    .filter((name) => !sources.some((source) => source === name || source.endsWith(`/${name}`)))
    .map((name) => `${path} names ${name}`);
}

test("the source files that documents name by the end of their paths exist", () => {
  const roots = ["apps", "packages", "test", "tools"];
  const sources = roots.flatMap((root) => [".ts", ".tsx"].flatMap((end) => sourceFiles(root, end)));
  expect(sources.length).toBeGreaterThan(2000);
  const paths = sources.map(({ path }) => path);
  expect(documents.flatMap((document) => missingSources(document, paths))).toEqual([]);
});

test("a source file that does not exist is detected", () => {
  const text = "`plan/routes.ts`, `routes.ts` and `plan/gone.ts`, `outes.ts`";
  expect(missingSources({ path: "docs/a.md", text }, ["apps/a/src/plan/routes.ts"])).toEqual([
    "docs/a.md names plan/gone.ts",
    "docs/a.md names outes.ts",
  ]);
});

const commandLine = sourceFiles("apps/cli/src").map(({ text }) => text);
const commands = new Set(
  commandLine.flatMap((text) => Array.from(text.matchAll(/\.command\("([\w-]+)/g), ([, name = ""]) => name)),
);

/** Lists the subcommands of kintsugi, in code, that the command line does not have. */
function missingCommands({ path, text }: SourceFile, known: ReadonlySet<string>): string[] {
  const named = text.matchAll(/(?:^|[`$#(]\s*|npx |sudo |\n {4})kintsugi ([a-z][a-z-]+)\b/gm);
  return Array.from(named, ([, name = ""]) => name)
    .filter((name) => !known.has(name) && name !== "help")
    .map((name) => `${path} runs kintsugi ${name}`);
}

test("the commands that documents run exist", () => {
  expect(commands.size).toBeGreaterThan(25);
  expect(documents.flatMap((document) => missingCommands(document, commands))).toEqual([]);
});

test("a command that does not exist is detected", () => {
  const text = "`kintsugi up` and `kintsugi mend`\n\n    npx kintsugi heal node-1\n";
  expect(missingCommands({ path: "a.md", text }, new Set(["up"]))).toEqual([
    "a.md runs kintsugi mend",
    "a.md runs kintsugi heal",
  ]);
});

/** A fact that several pages state: each match of `states` has the value as its first group. */
interface Fact {
  readonly name: string;
  readonly states: RegExp;
}

const facts: readonly Fact[] = [
  {
    name: "speed of the simulation",
    states: /\bten minutes(?: of a cluster)?(?: takes?| in)((?: about)? (?:a|one|two|three|\d+) seconds?)\b/gi,
  },
  {
    name: "old words for the speed of the simulation",
    states: /\b((?:hours|minutes of eviction)[^.|\n]{0,20} a second)\b/gi,
  },
  { name: "number of kinds with all of their fields", states: /\beach of the (\d+) kinds\b/g },
  { name: "versions of Kubernetes that can be emulated", states: /`--emulated-version`, (1\.\d+ to 1\.\d+)/g },
  { name: "limit of the front page's test run", states: /`npm test`[^.\n]{0,60}?(\d+) minutes on two cores/g },
];

/** Returns the values of a fact with the pages that state them. */
function valuesOf({ states }: Fact, pages: readonly SourceFile[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { path, text } of pages) {
    for (const [, value = ""] of text.replaceAll(/\s+/g, " ").matchAll(states)) {
      const key = value.trim().toLowerCase();
      values.set(key, [...(values.get(key) ?? []), path]);
    }
  }
  return values;
}

test.each(facts)("pages agree on the $name", (fact) => {
  const values = [...valuesOf(fact, documents)];
  expect(values.length > 1 ? values : []).toEqual([]);
});

test("the speed of the simulation has one wording", () => {
  expect([...valuesOf(facts[0]!, documents).values()].flat().length).toBeGreaterThan(3);
  expect([...valuesOf(facts[1]!, documents)]).toEqual([]);
});

test("two pages that differ are detected", () => {
  const pages = [
    { path: "a.md", text: "ten minutes of a cluster in about two\nseconds" },
    { path: "b.md", text: "Ten minutes take a second." },
  ];
  expect([...valuesOf(facts[0]!, pages)]).toEqual([
    ["about two seconds", ["a.md"]],
    ["a second", ["b.md"]],
  ]);
});

const decisions = sourceFiles("docs/decisions", ".md");

test("each decision has a status, a date and a context", () => {
  const faults = decisions.flatMap(({ path, text }) =>
    ["\n- Status: ", "\n- Date: 20", "\n- Context: "].flatMap((line) =>
      text.includes(line) ? [] : [`${path} lacks${line}`],
    ),
  );
  expect(decisions.length).toBeGreaterThan(14);
  expect(faults).toEqual([]);
});

/** Packages of a row of decision 1, by their names in package.json; other rows name tools. */
const rows: Readonly<Record<string, string>> = {
  "fastify 5": "fastify",
  "zod 4": "zod",
  "@grpc/grpc-js 1": "@grpc/grpc-js",
  "ws 8": "ws",
  "yaml 2": "yaml",
  "re2js 2": "re2js",
  "dns-packet 5": "dns-packet",
  "@noble/ciphers 2": "@noble/ciphers",
};

test("the dependencies' users in decision 1 are the workspaces that declare them", () => {
  const table = decisions.find(({ path }) => path.includes("0001-"))?.text ?? "";
  const declared = workspaces().map((workspace) => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(repository, workspace, "package.json"), "utf8")) as {
      dependencies?: Record<string, string>;
    };
    return [workspace.split("/")[1] ?? "", dependencies] as const;
  });
  const users = Object.values(rows).map((name) =>
    declared.flatMap(([workspace, dependencies]) => (name in dependencies ? [workspace] : [])).toSorted(),
  );
  const documented = Object.keys(rows).map((row) => {
    const cells =
      table
        .split("\n")
        .find((line) => line.startsWith(`| ${row} |`))
        ?.split(" | ") ?? [];
    return (cells[1] ?? "").split(", ").toSorted();
  });
  expect(documented).toEqual(users);
});
