import { expect, test } from "vitest";
import { englishCounts, type EnglishCounts, englishRules, sumCounts } from "./plain-english.ts";
import { englishLimits } from "./plain-english-limits.ts";
import { type SourceFile, sourceFiles, workspaces } from "./source-files.ts";

/**
 * A limit is lowered once the count is this far below it: a smaller step would make every colleague
 * edit the table.
 */
const slackMax = 15;

/**
 * Places whose violations are counted together: each workspace, the tests, the tools, and the
 * documents.
 */
function places(): [place: string, files: SourceFile[]][] {
  const code = [...workspaces(), "test", "tools"].map((place): [string, SourceFile[]] => [place, sourceFiles(place)]);
  const documents = sourceFiles(".", ".md").filter(({ path }) => !unchangeable.has(path));
  return [...code, ["documents", documents]];
}

/** Records of the past keep their words, and STYLE.md quotes the words that it forbids. */
const unchangeable = new Set(["docs/bugs-found.md", "STYLE.md", "CHANGELOG.md"]);

/**
 * Compares counts with limits: a count never rises, and a limit follows a count that has fallen.
 */
function limitFaults(place: string, counts: EnglishCounts, limits: EnglishCounts | undefined): string[] {
  if (limits === undefined) return [`${place} has no row in plain-english-limits.ts: ${JSON.stringify(counts)}`];
  return englishRules.flatMap((rule) => {
    const [count, limit] = [counts[rule], limits[rule]];
    if (count > limit) return [`${place} has ${count} violations of "${rule}", ${count - limit} more than its limit`];
    if (count < limit - slackMax)
      return [`${place} has only ${count} violations of "${rule}": lower its limit, ${limit}`];
    return [];
  });
}

test("violations of plain English never become more", () => {
  const found = places().map(([place, files]) => [place, sumCounts(files.map(englishCounts))] as const);
  expect(found.flatMap(([place, counts]) => limitFaults(place, counts, englishLimits[place]))).toEqual([]);
  expect(Object.keys(englishLimits).toSorted()).toEqual(found.map(([place]) => place).toSorted());
});

test.each([
  ["an opening question word", "/** How long a lease holds. */\nconst a = 1;\n", "openings"],
  ["an opening preposition", "// By name, in order.\nconst a = 1;\n", "openings"],
  ["the word whoever", "/** The key belongs to whoever made it. */\nconst a = 1;\n", "persons"],
  ["the word nobody behind code", "const a = 1; // The value is read by nobody.\n", "persons"],
  ["help with a full stop", 'const a = flag.text({ help: "Name of the node." });\n', "stops"],
  ["a long line of a comment", `/**\n * The ${"very ".repeat(20)}long line.\n */\nconst a = 1;\n`, "long"],
] as const)("%s is found", (_, text, rule) => {
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

test("a forbidden word in a document is found", () => {
  expect(englishCounts({ path: "planted.md", text: "Ask somebody; nobody knows.\n" }).persons).toBe(2);
});

test("a count above its limit, one far below it, and a place without limits are found", () => {
  const counts: EnglishCounts = { openings: 3, persons: 0, stops: 0, long: 1 };
  const limits: EnglishCounts = { openings: 2, persons: slackMax + 1, stops: slackMax, long: 1 };
  expect(limitFaults("apps/planted", counts, limits)).toEqual([
    'apps/planted has 3 violations of "openings", 1 more than its limit',
    `apps/planted has only 0 violations of "persons": lower its limit, ${slackMax + 1}`,
  ]);
  expect(limitFaults("apps/planted", counts, undefined)).toHaveLength(1);
});
