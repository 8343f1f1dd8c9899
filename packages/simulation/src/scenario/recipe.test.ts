import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { settingsOf } from "../faults/fault-settings.ts";
import { faults } from "../faults/faults.ts";
import { measures } from "./expectation.ts";
import { scenarioFileSchema } from "./file-schema.ts";
import { parseScenario } from "./parse-scenario.ts";
import { someTimerFlags } from "./testing/some-timer-flags.ts";

const recipe = readFileSync(new URL("../../../../docs/recipes/write-a-scenario.md", import.meta.url), "utf8");
const lines = recipe.split("\n");
/** The rows of a table, between its rule and the next empty line. */
const tableAfter = (header: string) => {
  const from = lines.indexOf(header) + 2;
  return lines.slice(from, lines.indexOf("", from));
};
const quoted = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(", ");

test("the recipe lists every fault in the list's words, and no fault that does not exist", () => {
  const rows = faults.map((fault) => {
    const target = fault.target === "none" ? "" : fault.target;
    const settings = quoted(Object.keys(settingsOf(fault)));
    return `| \`${fault.name}\` | ${target} | ${fault.lasts ? "yes" : ""} | ${settings} | ${fault.sentence} |`;
  });
  expect(tableAfter("| fault | of a | lasts | settings | what happens |")).toEqual(rows);
});

test("the recipe lists every measure", () => {
  const rows = Object.entries(measures).map(([name, { sentence }]) => `| \`${name}\` | ${sentence} |`);
  expect(tableAfter("| measure | what is measured |")).toEqual(rows);
});

test("the recipe names every word of a file, and its example is a scenario", () => {
  const told = [...recipe.matchAll(/^\| ((?:`[a-z]+`(?:, )?)+) \|/gm)].flatMap(([, words = ""]) =>
    words.split(/[`, ]+/),
  );
  expect(told).toEqual(expect.arrayContaining(Object.keys(scenarioFileSchema(someTimerFlags).shape)));
  const example = /```yaml\n([\s\S]*?)```/.exec(recipe)?.[1] ?? "";
  expect(parseScenario(example, { source: "example.yaml", timerFlags: someTimerFlags }).scenario.faults).toHaveLength(
    1,
  );
});
