import { existsSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { profiles } from "@kintsugi/api";
import {
  parseScenario,
  renderComparison,
  renderHtml,
  renderText,
  type ScenarioFile,
  type ScenarioReport,
} from "@kintsugi/simulation";
import { InvalidFile } from "@kintsugi/yaml-text";
import { changeScenario } from "./change-scenario.ts";
import { findScenario, shippedNames, type ScenarioText, UsageError } from "./find-scenario.ts";
import { isAsExpected, playScenario } from "./play-scenario.ts";

export interface ScenarioCommandOptions {
  /** Where the scenarios lie that come with Kintsugi. */
  shippedDirectory: string;
}

/** Everything is as expected · something is not · what was asked for makes no sense. */
const exitCodes = { fine: 0, unmet: 1, usage: 2 } as const;

/** Lives through one scenario, or the same with two settings, and prints what happened. @returns the exit code. */
export async function scenarioCommand(args: string[], options: ScenarioCommandOptions): Promise<number> {
  try {
    return await simulate(args, options);
  } catch (error) {
    if (!(error instanceof InvalidFile || error instanceof UsageError || isBadFlag(error))) throw error;
    process.stderr.write(`${error.message}\n`);
    return exitCodes.usage;
  }
}

async function simulate(args: string[], { shippedDirectory }: ScenarioCommandOptions): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      compare: { type: "string" },
      seed: { type: "string" },
      html: { type: "string" },
      json: { type: "boolean", default: false },
      full: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
    },
  });
  const [asked] = positionals;
  if (values.list || asked === undefined) {
    for (const line of listing(shippedDirectory)) say(line);
    return exitCodes.fine;
  }
  const text = findScenario(asked, shippedDirectory);
  const files = [parseScenario(text.text, text.source)];
  if (values.compare !== undefined) files.push(other(text, values.compare, shippedDirectory));
  const reports: ScenarioReport[] = [];
  for (const file of files) reports.push(await playScenario(withSeed(file, values.seed)));
  print(reports, values);
  return reports.every(isAsExpected) ? exitCodes.fine : exitCodes.unmet;
}

interface Output {
  json: boolean;
  full: boolean;
  html?: string | undefined;
}

function print([report, compared]: readonly ScenarioReport[], { json, full, html }: Output): void {
  if (!report) return;
  if (html !== undefined) writeFileSync(html, renderHtml(report, compared));
  if (json) say(JSON.stringify(compared ? { a: report, b: compared } : report, null, 2));
  else for (const line of compared ? renderComparison(report, compared) : renderText(report, { full })) say(line);
}

/** What it is compared with: another file, another profile, or the same with other settings. */
function other(text: ScenarioText, compare: string, shippedDirectory: string): ScenarioFile {
  if (Object.hasOwn(profiles, compare)) return changed(text, `profile=${compare}`);
  if (compare.includes("=") && !existsSync(compare)) return changed(text, compare);
  const found = findScenario(compare, shippedDirectory);
  return parseScenario(found.text, found.source);
}

/** What was expected of the one setting says nothing about another. */
function changed(text: ScenarioText, changes: string): ScenarioFile {
  return { ...changeScenario(text, changes), expect: [] };
}

function withSeed(file: ScenarioFile, seed: string | undefined): ScenarioFile {
  if (seed === undefined) return file;
  if (!/^\d{1,10}$/.test(seed)) throw new UsageError(`--seed ${seed} is not a whole number`);
  return { ...file, scenario: { ...file.scenario, seed: Number(seed) } };
}

function listing(shippedDirectory: string): string[] {
  const names = shippedNames(shippedDirectory);
  const width = Math.max(...names.map((name) => name.length)) + 3;
  return names.map((name) => {
    const { text, source } = findScenario(name, shippedDirectory);
    return `${name.padEnd(width)}${parseScenario(text, source).description.split("\n")[0]}`;
  });
}

function isBadFlag(error: unknown): error is Error {
  return error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
