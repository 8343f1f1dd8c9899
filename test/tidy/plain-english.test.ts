import { expect, test } from "vitest";
import { englishCounts, type EnglishCounts, englishRules } from "./plain-english.ts";
import { type SourceFile, sourceFiles, workspaces } from "./source-files.ts";

/** Files whose violations are exempt, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  "test/tidy/plain-english.test.ts": "it plants violations that the check has to find",
  "STYLE.md": "it quotes the words that it forbids",
};

/** Pages that are not wrapped yet, and generated pages. */
const unwrapped = new Set([
  "README.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "STYLE.md",
  "deploy/README.md",
  "deploy/compose/README.md",
  "deploy/vagrant/README.md",
  "docs/cgroup-v2.md",
  "docs/conformance.md",
  "docs/kubernetes-versions.md",
  "docs/newer-runtimes.md",
  "docs/reading-tour.md",
  "docs/recipes/run-a-test-server.md",
  "docs/settings.md",
  "docs/vagrant-lab.md",
  "tools/package/README.md",
]);

/** Lists the rules that a file violates, with the number of violations. */
function englishFaults(file: SourceFile): string[] {
  const counts = englishCounts(file);
  return englishRules.flatMap((rule) => {
    if (counts[rule] === 0 || (rule === "long" && unwrapped.has(file.path))) return [];
    return [`${file.path} has ${counts[rule]} violations of "${rule}" (plain-english.ts)`];
  });
}

test("code, tests and documents are in plain English", () => {
  const code = [...workspaces(), "test", "tools"].flatMap((place) => [
    ...sourceFiles(place),
    ...sourceFiles(place, ".mjs"),
  ]);
  const files = [...code, ...sourceFiles(".", ".md")];
  const found = files.map((file) => [file.path, englishFaults(file)] as const);
  expect(found.flatMap(([path, faults]) => (path in exceptions ? [] : faults))).toEqual([]);
  // An exception that no longer excepts anything would hide the next violation.
  const needed = found.filter(([, faults]) => faults.length > 0).map(([path]) => path);
  expect(needed.toSorted()).toEqual(Object.keys(exceptions).toSorted());
});

test.each([
  ["an opening question word", "/** How long a lease holds. */\nconst a = 1;\n", "openings"],
  ["an opening preposition", "// By name, in order.\nconst a = 1;\n", "openings"],
  ["the word whoever", "/** The key belongs to whoever made it. */\nconst a = 1;\n", "persons"],
  ["the word nobody behind code", "const a = 1; // The value is read by nobody.\n", "persons"],
  ["help with a full stop", 'const a = flag.text({ help: "Name of the node." });\n', "stops"],
  ["a long line of a comment", `/**\n * The ${"very ".repeat(20)}long line.\n */\nconst a = 1;\n`, "long"],
] as const)("%s is detected", (_, text, rule) => {
  const none: EnglishCounts = { openings: 0, persons: 0, stops: 0, long: 0 };
  expect(englishCounts({ path: "planted.ts", text })).toEqual({ ...none, [rule]: 1 });
});

test("whole sentences, strings and the help of metrics pass", () => {
  const text = [
    "/** The lease lasts this long without a renewal. */",
    'const a = "How long? Ask somebody.";',
    'const b = flag.text({ help: "Name of the node" });',
    'const c = metrics.counter({ name: "a", help: "Number of requests." });',
    `const d = "${"long ".repeat(30)}";`,
  ].join("\n");
  expect(Object.values(englishCounts({ path: "planted.ts", text }))).toEqual([0, 0, 0, 0]);
});

test("a long line of a document is detected, unless it is code, a table, a heading or has a link", () => {
  const long = "word ".repeat(25);
  const text = `${long}\n\n# ${long}\n\n| ${long} |\n\n[a](b.md) ${long}\n\n    ${long}\n\n\`\`\`\n${long}\n\`\`\`\n`;
  expect(englishCounts({ path: "planted.md", text }).long).toBe(1);
});

test("a forbidden word in a document is detected", () => {
  expect(englishCounts({ path: "planted.md", text: "Ask somebody; nobody knows.\n" }).persons).toBe(2);
});

test("a fault names the file, the number and the rule", () => {
  const text = "/** How long it holds. */\nconst a = 1;\n// Of the file.\nconst b = 2;\n";
  expect(englishFaults({ path: "apps/planted.ts", text })).toEqual([
    'apps/planted.ts has 2 violations of "openings" (plain-english.ts)',
  ]);
});
